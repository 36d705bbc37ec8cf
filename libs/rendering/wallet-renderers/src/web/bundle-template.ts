import { layout, palettes, variables } from './page-style.js';

/** The style sheet of a bundle's page. */
export const bundleStyle = `
:root { color-scheme: light dark; ${variables(palettes.light)} }
@media (prefers-color-scheme: dark) { :root { ${variables(palettes.dark)} } }
${layout}
h1 { font-size: 1.5rem; line-height: 1.25; }
ul { margin: 0; padding: 0; list-style: none; display: grid; gap: 1rem; }
li, .all, .in-app { display: grid; gap: .75rem; }
li { padding: 1rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--panel); }
.address { padding: .5rem .75rem; border-radius: .5rem; background: var(--panel); color: var(--text);
  font: .875rem/1.4 ui-monospace, Menlo, Consolas, monospace; -webkit-user-select: all; user-select: all; }
.pass { display: flex; gap: .75rem; align-items: center; }
.pass div { min-width: 0; }
.pass img { flex: none; width: 2.5rem; height: 2.5rem; object-fit: contain; border-radius: .5rem; }
.pass h2 { font-size: 1.0625rem; line-height: 1.3; }
.pass p, .hint { color: var(--muted); font-size: .875rem; }
@media (min-width: 40rem) { .elsewhere { display: flex; } }
@media (hover: none) and (pointer: coarse) { .elsewhere { display: none; } }
`;

const pass = `<li>
<div class="pass"><% if (pass.iconUrl) { %><img src="<%= pass.iconUrl %>" alt=""><% } %><div>
<h2 dir="auto"><%= pass.title %></h2>
<p dir="auto"><%= [pass.issuerName, pass.detail].filter(Boolean).join(' · ') %></p>
</div></div>
<% if (pass.ended) { %><p class="state ended"><%= pass.ended %></p>
<% } for (const wallet of pass.wallets) { %><a class="<%= wallet.main ? 'button' : 'other' %>" href="<%= wallet.href %>" rel="nofollow"><%= wallet.words %><span class="hidden">: <%= pass.title %> <%= pass.detail %></span></a>
<% } %><a class="other" href="<%= pass.urls.web %>" rel="nofollow"><%= it.phrases.showPass %><span class="hidden">: <%= pass.title %> <%= pass.detail %></span></a>
</li>
`;

/** The template of a bundle's page over its passes and actions. See page-template.ts for escaping. */
export const bundleTemplate = `<!doctype html>
<html lang="<%= it.language %>" dir="<%= it.direction %>">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<title><%= it.phrases.bundleTitle %></title>
<link rel="icon" href="data:,">
<style><%~ it.style %></style>
</head>
<body>
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
<% } for (const note of it.actions.developmentNotes) { %><p class="note"><%= note %></p>
<% } %></main>
</body>
</html>
`;
