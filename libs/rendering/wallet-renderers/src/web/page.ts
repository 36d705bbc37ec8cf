import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Eta } from 'eta';
import type { RenderPass, RenderTemplate } from '../model.js';
import { phrasesOf, webLanguages } from './languages.js';
import { contentSecurityPolicy, hashOf } from './page-policy.js';
import type { WebPageContext } from './page-context.js';
import { pageScript } from './page-script.js';
import { colourRule, pageSheet } from './page-style.js';
import { pageTemplate } from './page-template.js';
import { pageView } from './page-view.js';

/** A finished page and the `Content-Security-Policy` header that belongs to exactly this page. */
export interface WebPage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

export const eta = new Eta({ autoEscape: true });
const template = eta.compile(pageTemplate);
const sheetHash = hashOf(pageSheet);
const scriptHash = hashOf(pageScript);

// Says which release this is, of the parts below and of all that fills them in.
const release = readFileSync(require.resolve('../../package.json'), 'utf8');

/** Names what pages are made with: part of their versions, so that another release is another version. */
export const webPageBuild = createHash('sha256')
  .update(JSON.stringify([release, pageTemplate, pageSheet, pageScript, webLanguages.map(phrasesOf)]))
  .digest('base64url')
  .slice(0, 8);

const parts = { sheet: pageSheet, script: pageScript, build: webPageBuild };

/**
 * The web view of a pass: a complete HTML document that needs no script, font or file but the given images, and a small
 * script that keeps it current while it is open. It speaks the reader's language and offers their wallet first. All text
 * is escaped. The policy allows the page's two style sheets and its script by their hashes, images from the given
 * images' origins, requests to its own origin, and nothing else. The same input gives the same page.
 * @throws RangeError when a colour cannot be read
 */
export function webPage(renderTemplate: RenderTemplate, pass: RenderPass, context: WebPageContext): WebPage {
  const view = pageView(renderTemplate, pass, context);
  const rule = colourRule(view.colours);
  const colours = `.pass{${rule}}`;
  const policy = contentSecurityPolicy({
    styles: [sheetHash, hashOf(colours)],
    script: scriptHash,
    imageUrls: Object.values(view.images),
  });
  const html = eta.render(template, { ...view, ...parts, colourRule: rule, colourSheet: colours });
  return { html, contentSecurityPolicy: policy };
}
