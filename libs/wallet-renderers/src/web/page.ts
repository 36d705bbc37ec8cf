import { createHash } from 'node:crypto';
import { Eta } from 'eta';
import type { RenderPass, RenderTemplate } from '../model.js';
import type { WebPageContext } from './page-context.js';
import { pageTemplate } from './page-template.js';
import { pageView } from './page-view.js';

/** A finished page and the `Content-Security-Policy` header that belongs to exactly this page. */
export interface WebPage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

export const eta = new Eta({ autoEscape: true });
const template = eta.compile(pageTemplate);

/**
 * The web view of a pass: a complete HTML document that needs no script, font or file but the given images. All text
 * is escaped. The policy allows the page's one style sheet by its hash, images from the given images' origins, and
 * nothing else, so that the page can be cached with its header. The same input gives the same page.
 * @throws RangeError when a colour cannot be read
 */
export function webPage(renderTemplate: RenderTemplate, pass: RenderPass, context: WebPageContext): WebPage {
  const view = pageView(renderTemplate, pass, context);
  return {
    html: eta.render(template, view),
    contentSecurityPolicy: contentSecurityPolicy(view.style, Object.values(view.images)),
  };
}

/** Allows the page's one style sheet, images from where the given ones are, and nothing else. */
export function contentSecurityPolicy(style: string, imageUrls: readonly string[]): string {
  const origins = [...new Set(imageUrls.map((url) => new URL(url).origin))];
  return [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    `img-src ${origins.join(' ') || "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
