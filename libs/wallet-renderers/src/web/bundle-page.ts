import { eta, type WebPage } from './page.js';
import { contentSecurityPolicy, hashOf } from './page-policy.js';
import { layout, palettes, variables } from './page-style.js';
import { qrCodeSvg } from './qr-code.js';

/** One pass on the page: its words, and where it can be had. All addresses are absolute, http or https. */
export interface BundledPass {
  readonly title: string;
  readonly issuerName: string;
  /** What tells it from others of its template; empty when nothing does. */
  readonly detail: string;
  /** Null: no icon is shown. */
  readonly iconUrl: string | null;
  /** Why it is of no use any more, in words; null while it is good: only then is it offered to be added. */
  readonly ended: string | null;
  readonly appleUrl: string;
  readonly webUrl: string;
}

/** What the page of a bundle shows. */
export interface BundlePageContext {
  readonly passes: readonly BundledPass[];
  /** All of them in one file. */
  readonly bundleUrl: string;
  /** The address of the page itself. */
  readonly webUrl: string;
  /** True when a package is not signed with a certificate of Apple's: the page then says so. */
  readonly development: boolean;
}

const longestScannedUrl = 600;

const style = `
:root { color-scheme: light dark; ${variables(palettes.light)} }
@media (prefers-color-scheme: dark) { :root { ${variables(palettes.dark)} } }
${layout}
h1 { font-size: 1.5rem; line-height: 1.25; }
ul { margin: 0; padding: 0; list-style: none; display: grid; gap: 1rem; }
li { display: grid; gap: .75rem; padding: 1rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--panel); }
.pass { display: flex; gap: .75rem; align-items: center; }
.pass img { flex: none; width: 2.5rem; height: 2.5rem; object-fit: contain; border-radius: .5rem; }
.pass h2 { font-size: 1.0625rem; line-height: 1.3; }
.pass p, .hint { color: var(--muted); font-size: .875rem; }
@media (hover: hover) and (pointer: fine) and (min-width: 40rem) { .elsewhere { display: flex; } }
`;

const template = eta.compile(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<title><%= it.heading %></title>
<style><%~ it.style %></style>
</head>
<body>
<main>
<h1><%= it.heading %></h1>
<p class="hint">This browser may not open several passes at once. Add them one by one, or open this page in Safari on an iPhone and add them all.</p>
<ul>
<% for (const pass of it.passes) { %><li>
<div class="pass"><% if (pass.iconUrl) { %><img src="<%= pass.iconUrl %>" alt=""><% } %><div>
<h2 dir="auto"><%= pass.title %></h2>
<p dir="auto"><%= [pass.issuerName, pass.detail].filter(Boolean).join(' · ') %></p>
</div></div>
<% if (pass.ended) { %><p class="state ended"><%= pass.ended %></p>
<% } else { %><a class="button" href="<%= pass.appleUrl %>" rel="nofollow">Add to Apple Wallet<span class="hidden">: <%= pass.title %> <%= pass.detail %></span></a>
<% } %><a href="<%= pass.webUrl %>" rel="nofollow">Show this pass</a>
</li>
<% } %></ul>
<% if (it.passes.length > 1) { %><a class="button" href="<%= it.bundleUrl %>" rel="nofollow">Add all <%= it.passes.length %> at once (Safari)</a>
<% } if (it.pageSvg) { %><div class="elsewhere">
<div class="qr" role="img" aria-label="QR code of the address of this page"><%~ it.pageSvg %></div>
<p>To add these passes on your phone, scan this code with its camera.</p>
</div>
<% } if (it.development) { %><p class="note">Development only: these passes are signed with a certificate that Apple did not issue, so a phone does not accept them.</p>
<% } %></main>
</body>
</html>
`);

const styleHash = hashOf(style);
const policyFor = (imageUrls: readonly string[]) => contentSecurityPolicy({ styles: [styleHash], imageUrls });

/** The page that adds the passes of a bundle one by one: complete without scripts, all text escaped, see `webPage`. */
export function bundlePage(context: BundlePageContext): WebPage {
  const { passes, webUrl } = context;
  const heading = passes.length === 1 ? 'Your pass' : `Your ${passes.length} passes`;
  // A long address makes a code that takes long to draw and that no camera reads.
  const pageSvg = webUrl.length <= longestScannedUrl ? qrCodeSvg(webUrl) : null;
  const view = { ...context, heading, style, pageSvg };
  const icons = passes.flatMap(({ iconUrl }) => iconUrl ?? []);
  return { html: eta.render(template, view), contentSecurityPolicy: policyFor(icons) };
}
