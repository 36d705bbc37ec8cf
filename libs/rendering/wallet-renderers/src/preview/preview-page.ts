import { createHash } from 'node:crypto';
import { Eta } from 'eta';
import type { Finding } from '../finding.js';
import type { CutText } from './drawing.js';
import type { WebPage } from '../web/page.js';
import { palettes, variables } from '../web/page-style.js';
import type { Preview } from './preview.js';
import { type PreviewSystem, type PreviewTheme, type PreviewWallet, systemNames } from './preview-context.js';

/** The content of the preview page. */
export interface PreviewPageContent {
  /** The name of the drawn pass, such as the template's title. */
  readonly title: string;
  readonly pictures: readonly {
    readonly wallet: PreviewWallet;
    readonly theme: PreviewTheme;
    /** The system of the phone, if the page has pictures of several systems. */
    readonly system?: PreviewSystem;
    readonly preview: Preview;
  }[];
  readonly findings: readonly Finding[];
}

/** The names of the wallets, as the preview page shows them. */
const walletNames: Readonly<Record<PreviewWallet, string>> = {
  apple: 'Apple Wallet',
  google: 'Google Wallet',
  web: 'Web',
};

const style = `
:root { color-scheme: light dark; ${variables(palettes.light)} }
@media (prefers-color-scheme: dark) { :root { ${variables(palettes.dark)} } }
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem 1rem 4rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 84rem; margin: 0 auto; display: grid; gap: 2.5rem; }
h1, h2, p, figure { margin: 0; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; }
h2 { font-size: 1.125rem; margin-bottom: .75rem; }
.pictures { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 12rem), 1fr)); align-items: start; }
.wallets { display: grid; gap: 2.5rem 1.5rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); align-items: start; }
figure svg { width: 100%; height: auto; border-radius: 1.5rem; border: 1px solid var(--line); }
figcaption { margin-top: .5rem; font-size: .875rem; color: var(--muted); text-align: center; }
ul { margin: 0; padding: 0; list-style: none; display: grid; gap: .75rem; }
li { padding: .875rem 1rem; border-radius: .75rem; border: 1px solid var(--line); background: var(--panel); overflow-wrap: anywhere; }
li p + p { margin-top: .25rem; }
.severity { padding: .0625rem .5rem; border-radius: 1rem; font-size: .8125rem; font-weight: 600; }
.error { background: var(--ended); color: var(--endedText); }
.warning { background: var(--waiting); color: var(--waitingText); }
.info { background: var(--good); color: var(--goodText); }
code { font: .875rem/1.5 ui-monospace, monospace; }
.fix, .none { color: var(--muted); }
`;

const eta = new Eta({ autoEscape: true });
const template = eta.compile(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<title><%= it.title %> · Preview</title>
<style><%~ it.style %></style>
</head>
<body>
<main>
<h1 dir="auto"><%= it.title %></h1>
<div class="wallets">
<% for (const wallet of it.wallets) { %><section>
<h2><%= wallet.name %></h2>
<div class="pictures">
<% for (const { caption, preview } of wallet.pictures) { %><figure><%~ preview.svg %><figcaption><%= caption %></figcaption></figure>
<% } %></div>
</section>
<% } %></div>
<section>
<h2>What the template lint finds</h2>
<% if (it.findings.length === 0) { %><p class="none">Nothing: all is well.</p>
<% } else { %><ul>
<% for (const finding of it.findings) { %><li>
<p><span class="severity <%= finding.severity %>"><%= finding.severity %></span> <code><%= finding.rule %></code> · <%= finding.in %> <code dir="ltr"><%= finding.path %></code></p>
<p><%= finding.message %></p>
<p class="fix">Fix: <%= finding.fix %></p>
</li>
<% } %></ul>
<% } %></section>
<% if (it.cut.length > 0) { %><section>
<h2>Texts that are cut</h2>
<ul>
<% for (const { name, text, shown, path, in: document } of it.cut) { %><li>
<p><%= name %> · <%= document %> <code dir="ltr"><%= path %></code></p>
<p dir="auto"><%= text %></p>
<p class="fix" dir="auto"><%= shown %></p>
</li>
<% } %></ul>
</section>
<% } %></main>
</body>
</html>
`);

/**
 * Builds a page with all pictures, the findings of the template lint and the cut texts. The themes of each wallet are
 * side by side. The page is self-contained and needs no further request. All text is escaped, see `webPage`.
 */
export function previewPage({ title, pictures, findings }: PreviewPageContent): WebPage {
  const wallets = Object.entries(walletNames).map(([wallet, name]) => ({
    name,
    pictures: pictures
      .filter((picture) => picture.wallet === wallet)
      .map(({ theme, system, preview }) => ({ caption: captionOf(theme, system), preview })),
  }));
  const cut = cutTexts(pictures).map((each) => ({ ...each, name: walletNames[each.wallet] }));
  const view = { title, style, wallets, findings, cut };
  return { html: eta.render(template, view), contentSecurityPolicy };
}

function captionOf(theme: PreviewTheme, system: PreviewSystem | undefined): string {
  const appearance = theme === 'dark' ? 'Dark' : 'Light';
  return system ? `${systemNames[system]} · ${appearance}` : appearance;
}

/**
 * The content security policy of the page. It allows only the page's style sheet and the images inside the pictures.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Returns the texts that each wallet cuts. The texts are the same in all themes. A text that several systems cut is
 * listed once.
 */
export function cutTexts(pictures: PreviewPageContent['pictures']): (CutText & { readonly wallet: PreviewWallet })[] {
  const seen = new Set<string>();
  return pictures.flatMap(({ wallet, system, preview }) => {
    const look = `${wallet} ${system ?? ''}`;
    if (seen.has(look)) return [];
    seen.add(look);
    return preview.cut.flatMap((each) => {
      const place = `${wallet} ${each.in} ${each.path}`;
      if (system && seen.has(place)) return [];
      if (system) seen.add(place);
      return [{ ...each, wallet }];
    });
  });
}
