import { headOf } from './page-template.js';
import { layout, palettes, variables } from './page-style.js';
import { langOf } from './page-template.js';

/** The style sheet of a bundle's page. */
export const bundleStyle = `
:root { color-scheme: light dark; ${variables(palettes.light)} }
@media (prefers-color-scheme: dark) { :root { ${variables(palettes.dark)} } }
${layout}
h1 { font-size: 1.5rem; line-height: 1.25; }
ul { margin: 0; padding: 0; list-style: none; display: grid; gap: .75rem; }
.all, .in-app, .more { display: grid; gap: .75rem; }
.all { position: sticky; top: 0; z-index: 1; margin: 0 -1rem; padding: .5rem 1rem; background: var(--page); }
li { border-radius: 1rem; overflow: hidden; background: var(--panel); box-shadow: 0 0 0 1px var(--line); }
summary { --background: var(--panel); --foreground: var(--text); --label: var(--muted);
  display: grid; grid-template-columns: auto minmax(0, 1fr) auto; gap: .75rem; align-items: center; min-height: 4rem; padding: .75rem 1rem;
  background: var(--background); color: var(--foreground); cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary::after { content: ""; width: .5rem; height: .5rem; margin-inline: .25rem; border: solid; border-width: 0 .125rem .125rem 0; transform: rotate(45deg); }
details[open] summary::after { transform: rotate(225deg); }
summary:focus-visible { outline: 3px solid var(--foreground); outline-offset: -6px; border-radius: 1rem; }
summary img { flex: none; width: 2.5rem; height: 2.5rem; object-fit: contain; border-radius: .5rem; }
summary div { grid-column: 2; min-width: 0; }
summary h2 { font-size: 1.0625rem; line-height: 1.3; }
summary p { color: var(--label); font-size: .875rem; overflow-wrap: anywhere; }
.more { padding: 1rem; }
.more .state { padding: .5rem .75rem; font-size: .9375rem; }
.hint { color: var(--muted); font-size: .875rem; }
.address { padding: .5rem .75rem; border-radius: .5rem; background: var(--panel); color: var(--text);
  font: .875rem/1.4 ui-monospace, Menlo, Consolas, monospace; -webkit-user-select: all; user-select: all; }
@media (min-width: 40rem) { .elsewhere { display: flex; } }
@media (hover: none) and (pointer: coarse) { .elsewhere { display: none; } }
`;

const lang = langOf('pass.language');

const name = `<span class="hidden"${lang}>: <%= pass.title %> <%= pass.detail %></span>`;

const pass = `<li>
<details<% if (it.all.length === 0) { %> open<% } %>>
<summary><% if (pass.iconUrl) { %><img src="<%= pass.iconUrl %>" alt=""><% } %><div>
<h2 dir="auto"${lang}><%= pass.title %></h2>
<p dir="auto"${lang}><%= [pass.issuerName, pass.detail].filter(Boolean).join(' · ') %></p>
<% if (pass.when) { %><p dir="auto"><%= pass.when %></p>
<% } if (pass.ended) { %><p><%= pass.ended %></p>
<% } %></div></summary>
<div class="more">
<% for (const wallet of pass.wallets) { %><a class="<%= wallet.main ? 'button' : 'other' %>" href="<%= wallet.href %>" rel="nofollow"><%= wallet.words %>${name}</a>
<% } for (const { href, words } of pass.actions ?? []) { %><a class="other" href="<%= href %>" rel="nofollow noopener noreferrer"><%= words %>${name}</a>
<% } %><a class="other" href="<%= pass.urls.web %>" rel="nofollow"><%= it.phrases.showPass %>${name}</a>
</div>
</details>
</li>
`;

/** The template of a bundle's page. Its data are the passes and the actions. See page-template.ts for escaping. */
export const bundleTemplate = `${headOf('it.phrases.bundleTitle', 'it.style', 'it.colours')}<body>
<main>
<h1><%= it.phrases.bundleTitle %></h1>
<% if (it.actions.inAppHint) { %><section class="note in-app">
<p><%= it.actions.inAppHint %></p>
<p><%= it.phrases.copyAddress %></p>
<p class="address" dir="ltr"><%= it.webUrl %></p>
</section>
<% } if (it.all.length > 0) { %><div class="all">
<% for (const wallet of it.all) { %><a class="<%= wallet.main ? 'button' : 'other' %>" href="<%= wallet.href %>" rel="nofollow"><%= wallet.words %></a>
<% } %></div>
<% } if (it.hint) { %><p class="hint"><%= it.hint %></p>
<% } %><ul>
<% for (const pass of it.passes) { %>${pass}<% } %></ul>
<% if (it.actions.pageSvg) { %><div class="elsewhere">
<div class="qr" role="img" aria-label="<%= it.phrases.pageCodeLabel %>"><%~ it.actions.pageSvg %></div>
<p><%= it.phrases.scanBundle %></p>
</div>
<% } if (it.actions.developmentNote) { %><p class="note"><%= it.actions.developmentNote %></p>
<% } %></main>
</body>
</html>
`;
