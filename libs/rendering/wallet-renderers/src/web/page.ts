import { createHash } from 'node:crypto';
import { Eta } from 'eta';
import type { RenderPass, RenderTemplate } from '../model.js';
import { packageJson } from '../package-json.js';
import { forReader } from '../translations/in-language.js';
import { actionWords } from './action-words.js';
import { phrasesOf, webLanguages } from './languages.js';
import { contentSecurityPolicy, hashOf } from './page-policy.js';
import type { WebPageContext } from './page-context.js';
import { pageScript } from './page-script.js';
import { wantedFrom } from './reader.js';
import { colourRule, pageSheet } from './page-style.js';
import { pageTemplate } from './page-template.js';
import { pageView } from './page-view.js';

/** A finished page and its own `Content-Security-Policy` header. */
export interface WebPage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

export const eta = new Eta({ autoEscape: true });
const template = eta.compile(pageTemplate);
const sheetHash = hashOf(pageSheet);
const scriptHash = hashOf(pageScript);

/**
 * A hash that identifies how pages are built, as part of each page's version, so that a release changes all versions.
 */
export const webPageBuild = createHash('sha256')
  .update(JSON.stringify([packageJson, pageTemplate, pageSheet, pageScript, webLanguages.map(phrasesOf), actionWords]))
  .digest('base64url')
  .slice(0, 8);

const parts = { sheet: pageSheet, script: pageScript, build: webPageBuild };

/**
 * Builds the web view of a pass: a complete HTML document that loads only the given images. A small script updates the
 * page while it is open. The page uses the reader's language and offers the reader's own wallet first. All text is
 * escaped, and the content security policy allows only the page's own parts. The same input gives the same page.
 * @throws RangeError for an unreadable colour
 */
export function webPage(renderTemplate: RenderTemplate, pass: RenderPass, context: WebPageContext): WebPage {
  const shown = forReader(renderTemplate, pass, wantedFrom(context.reader, pass), context.language);
  const view = pageView(shown.template, shown.pass, context);
  const rule = colourRule(view.colours);
  const colours = `.pass{${rule}}`;
  const policy = contentSecurityPolicy({
    styles: [sheetHash, hashOf(colours)],
    script: scriptHash,
    imageUrls: [...Object.values(view.images), ...(view.related?.passes ?? []).flatMap(({ iconUrl }) => iconUrl ?? [])],
  });
  const html = eta.render(template, { colourRule: rule, colourSheet: colours, ...parts, ...view });
  return { html, contentSecurityPolicy: policy };
}
