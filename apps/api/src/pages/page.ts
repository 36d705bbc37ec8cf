import { hashOf, type WebPage } from '@passwright/wallet-renderers';
import { Eta } from 'eta';
import { sheet } from './page-style.js';

/** The content that every page has. */
export interface PageView {
  readonly title: string;
  /** The path of the service in its public address, without a slash at its end. */
  readonly root: string;
}

const eta = new Eta({ autoEscape: true });

// Allows only the page's own style sheet and images of the service: no script, no form and no other host.
const policyOf = (style: string) =>
  [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/**
 * Returns a function that builds a page with only images of the service.
 * @param main the template of its body, which escapes the values of its view
 * @param moreStyle styles in addition to those of every page
 */
export function pageRenderer<View extends PageView>(main: string, moreStyle = ''): (view: View) => WebPage {
  const template = eta.compile(documentOf(main));
  const style = `${sheet}${moreStyle}`;
  const contentSecurityPolicy = policyOf(style);
  return (view) => ({ html: eta.render(template, { ...view, sheet: style }), contentSecurityPolicy });
}

/** Returns headers that keep caches from storing a page, because it is valid only for this request. */
export function pageHeaders(page: WebPage): Record<string, string> {
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Language': 'en',
    'Content-Security-Policy': page.contentSecurityPolicy,
    'Cache-Control': 'no-store',
    'X-Robots-Tag': 'noindex',
  };
}

/** Returns the address of the guide that explains error codes. @param root the address or the path of the service */
export function errorHelpUrl(root: string): string {
  return `${root}/guides/errors`;
}

/** Returns the path of the public address. Links that begin with this path work under any host name. */
export function rootOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/$/, '');
}

const documentOf = (main: string) => `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="format-detection" content="telephone=no">
<title><%= it.title %></title>
<link rel="icon" href="<%= it.root %>/favicon.ico" sizes="32x32">
<link rel="icon" href="<%= it.root %>/favicon.svg" type="image/svg+xml">
<style><%~ it.sheet %></style>
</head>
<body>
${main}
</body>
</html>
`;
