/*
 * Pages as eta templates. `<%= %>` escapes its value. Use it for every user text, and only inside an element or a
 * double-quoted attribute. `<%~ %>` does not escape: use it only for style sheets, the script and our own barcodes.
 */

/** Prints the parts of a text: links, times and plain text. @param parts the template expression for the list */
const partsOf = (parts: string) =>
  `<% for (const part of ${parts}) { if (part.href) { %><a href="<%= part.href %>" rel="nofollow noopener noreferrer" dir="ltr"><%= part.text %></a><% } ` +
  `else if (part.iso) { %><time datetime="<%= part.iso %>" data-local="<%= it.locale %>"><%= part.text %></time><% } else { %><%= part.text %><% } } %>`;

/** Prints a `lang` attribute for a text in another language than the page. @param tag the template expression for it */
export const langOf = (tag: string) => `<% if (${tag}) { %> lang="<%= ${tag} %>"<% } %>`;

const lang = langOf('it.textLanguage');

const head = `<!doctype html>
<html lang="<%= it.language %>" dir="<%= it.direction %>" data-version="<%= it.version %>" data-build="<%= it.build %>" data-updated="<%= it.phrases.updated %>" data-colours="<%= it.colourRule %>">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<meta name="format-detection" content="telephone=no">
<meta name="theme-color" content="<%= it.colours.background %>">
<title><%= it.title %> · <%= it.issuerName %></title>
<meta name="description" content="<%= it.summary %>">
<link rel="canonical" href="<%= it.webUrl %>">
<meta property="og:type" content="website">
<meta property="og:title" content="<%= it.title %>">
<meta property="og:description" content="<%= it.summary %>">
<meta property="og:site_name" content="<%= it.issuerName %>">
<meta property="og:url" content="<%= it.webUrl %>">
<meta name="twitter:card" content="<%= it.preview && it.preview.width >= 600 ? 'summary_large_image' : 'summary' %>">
<% if (it.preview) { %><meta property="og:image" content="<%= it.preview.url %>">
<meta property="og:image:width" content="<%= it.preview.width %>">
<meta property="og:image:height" content="<%= it.preview.height %>">
<meta property="og:image:alt" content="<%= it.title %> · <%= it.issuerName %>">
<% } if (it.images.icon) { %><link rel="icon" href="<%= it.images.icon %>">
<link rel="apple-touch-icon" href="<%= it.images.icon %>">
<% } else { %><link rel="icon" href="data:,">
<% } %><style><%~ it.sheet %></style>
<style id="colours"><%~ it.colourSheet %></style>
</head>
`;

const pass = `<article id="pass" class="pass <%= it.type %> <%= it.state.tone %>" aria-labelledby="title">
<% if (it.images.background) { %><img class="background" src="<%= it.images.background %>" alt="">
<% } %><header>
<% if (it.images.logo) { %><img class="logo" src="<%= it.images.logo %>" alt="<%= it.issuerName %>"${lang}>
<% } %><p class="issuer<% if (it.images.logo) { %> beside-logo<% } %>" dir="auto"${lang}<% if (it.images.logo) { %> aria-hidden="true"<% } %>><%= it.issuerName %></p>
</header>
<% if (it.images.artwork) { %><img class="artwork" src="<%= it.images.artwork %>" alt="" width="1074" height="1344">
<% } else if (it.images.banner) { %><img class="banner" src="<%= it.images.banner %>" alt="" width="1032" height="336">
<% } %><div class="body">
<div class="head">
<h1 id="title" dir="auto"${lang}><%= it.title %></h1>
<% if (it.images.thumbnail) { %><img class="thumbnail" src="<%= it.images.thumbnail %>" alt="">
<% } %></div>
<% if (it.occasion) { %><dl class="occasion">
<% if (it.occasion.day) { %><div><dt><%= it.phrases.when %></dt><dd><time datetime="<%= it.occasion.iso %>"><b><%= it.occasion.day %></b><% if (it.occasion.time) { %> <span><%= it.occasion.time %></span><% } %></time></dd></div>
<% } for (const { label, value } of it.occasion.more) { %><div><dt><%= label %></dt><dd><%= value %></dd></div>
<% } if (it.occasion.place) { %><div><dt><%= it.phrases.where %></dt><dd><% if (it.occasion.place.name) { %><b dir="auto"${lang}><%= it.occasion.place.name %></b> <% } %><span dir="auto"${lang}><%= it.occasion.place.address %></span></dd></div>
<% } %></dl>
<% } if (it.primary) { %><dl class="primary"><div><dt dir="auto"${lang}><%= it.primary.label %></dt><dd dir="auto"${lang}><%= it.primary.value %></dd></div></dl>
<% } if (it.front.length > 0) { %><dl class="fields<% if (it.frontIsShort) { %> short<% } %>">
<% for (const field of it.front) { %><div><dt dir="auto"${lang}><%= field.label %></dt><dd dir="auto"${lang}><%= field.value %></dd></div>
<% } %></dl>
<% } %></div>
<figure<% if (it.codeShape !== 'usual') { %> class="<%= it.codeShape %>"<% } %>>
<div class="qr" role="img" aria-label="<%= it.codeLabel %>"><%~ it.codeSvg %></div>
<figcaption dir="auto"><%= it.code %></figcaption>
</figure>
</article>
`;

const side = `<div id="side" data-parts>
<% if (it.actions.wallets.length > 0) { %><section id="add" class="add" aria-label="<%= it.phrases.keepIt %>">
<% for (const wallet of it.actions.wallets) { if (wallet.badge) { %><a class="badge" href="<%= wallet.href %>" rel="nofollow"><picture><% if (wallet.badge.darkUrl) { %><source srcset="<%= wallet.badge.darkUrl %>" media="(prefers-color-scheme: dark)"><% } %><img src="<%= wallet.badge.url %>" alt="<%= wallet.words %>"></picture></a>
<% } else { %><a class="<%= wallet.main ? 'button' : 'other' %>" href="<%= wallet.href %>" rel="nofollow"><%= wallet.words %></a>
<% } } if (it.actions.pageSvg) { %><div class="elsewhere">
<div class="qr" role="img" aria-label="<%= it.phrases.pageCodeLabel %>"><%~ it.actions.pageSvg %></div>
<p><%= it.phrases.scanPage %></p>
</div>
<% } %></section>
<% } if (it.buttons.length > 0) { %><ul id="buttons" class="buttons">
<% for (const { href, words } of it.buttons) { %><li><a class="action" href="<%= href %>" rel="nofollow noopener noreferrer"><%= words %></a></li>
<% } %></ul>
<% } if (it.related) { %><nav id="related" class="details related" aria-labelledby="related-title">
<h2 id="related-title"><% if (it.related.allUrl) { %><a href="<%= it.related.allUrl %>" rel="nofollow"><%= it.phrases.bundleTitle %></a><% } else { %><%= it.phrases.bundleTitle %><% } %></h2>
<ul data-parts>
<% for (const [at, other] of it.related.passes.entries()) { %><li data-key="<%= other.webUrl ?? at %>"><% if (other.webUrl) { %><a href="<%= other.webUrl %>" rel="nofollow"><% } else { %><div><% } if (other.iconUrl) { %><img src="<%= other.iconUrl %>" alt=""><% } %><span><b dir="auto"${langOf('other.language')}><%= other.title %></b> <span dir="auto"${langOf('other.language')}><%= [other.issuerName, other.detail].filter(Boolean).join(' · ') %></span></span><% if (other.webUrl) { %></a><% } else { %></div><% } if (other.ended) { %><p><%= other.ended %></p><% } %></li>
<% } %></ul>
</nav>
<% } if (it.actions.developmentNote) { %><p id="development" class="note"><%= it.actions.developmentNote %></p>
<% } if (it.back.length > 0) { %><section id="back" class="details" aria-labelledby="details">
<h2 id="details"><%= it.phrases.details %></h2>
<dl data-parts>
<% for (const field of it.back) { %><div data-key="<%= field.key %>"><dt dir="auto"${langOf('field.language')}><%= field.label %></dt><dd dir="auto"${langOf('field.language')}>${partsOf('field.parts')}</dd></div>
<% } %></dl>
</section>
<% } %></div>
`;

const messages = `<% if (it.messages.length > 0) { %><section id="messages" class="details messages" aria-labelledby="messages-title">
<h2 id="messages-title"><%= it.phrases.messages %></h2>
<dl data-parts>
<% for (const message of it.messages) { %><div data-key="<%= message.iso %>"><dt><time datetime="<%= message.iso %>"<% if (message.isLocal) { %> data-local="<%= it.locale %>"<% } %>><%= message.date %></time></dt><dd dir="auto"><% if (message.title) { %><b><%= message.title %></b>
<% } %>${partsOf('message.parts')}</dd></div>
<% } %></dl>
</section>
<% } %>`;

/** The template of a pass's page. Its data are a `PageView`, the style sheets and the script. */
export const pageTemplate = `${head}<body>
<p id="news" class="hidden" role="status"></p>
<main id="page" data-parts>
<% if (it.actions.inAppHint) { %><section id="in-app" class="note in-app">
<p><%= it.actions.inAppHint %></p>
<p><%= it.phrases.copyAddress %></p>
<p class="address" dir="ltr"><%= it.webUrl %></p>
</section>
<% } %><p id="state" class="state <%= it.state.tone %>">${partsOf('it.state.parts')}</p>
${messages}${pass}${side}</main>
<script><%~ it.script %></script>
</body>
</html>
`;

/** Builds the head of a page that is not about one pass. @param title and `sheets` are template expressions */
export const headOf = (title: string, ...sheets: readonly string[]) => `<!doctype html>
<html lang="<%= it.language %>" dir="<%= it.direction %>">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<title><%= ${title} %></title>
<link rel="icon" href="data:,">
${sheets.map((sheet) => `<style><%~ ${sheet} %></style>\n`).join('')}</head>
`;

/** The template of the page for a missing pass. Its data are the texts and the style sheet. */
export const rejectionTemplate = `${headOf('it.title', 'it.sheet')}<body>
<main id="page" class="refusal" data-parts>
<section id="refusal" aria-labelledby="title">
<h1 id="title"><%= it.title %></h1>
<p id="state"><%= it.text %></p>
<% if (it.requestId) { %><p class="request-id"><%= it.requestIdLabel %>: <bdi dir="ltr"><%= it.requestId %></bdi></p>
<% } %></section>
</main>
</body>
</html>
`;
