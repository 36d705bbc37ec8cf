/**
 * The page as an eta template over a `PageView`. `<%= %>` escapes, and every text of a user goes through it into an
 * element or a double-quoted attribute; `<%~ %>` does not, and takes only the style sheet and the QR codes made here.
 */
export const pageTemplate = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<title><%= it.title %> · <%= it.issuerName %></title>
<meta name="description" content="<%= it.summary %>">
<meta property="og:type" content="website">
<meta property="og:title" content="<%= it.title %>">
<meta property="og:description" content="<%= it.summary %>">
<meta property="og:site_name" content="<%= it.issuerName %>">
<meta property="og:url" content="<%= it.webUrl %>">
<% if (it.previewImage) { %><meta property="og:image" content="<%= it.previewImage %>">
<% } if (it.images.icon) { %><link rel="icon" href="<%= it.images.icon %>">
<% } %><style><%~ it.style %></style>
</head>
<body>
<main>
<p class="state <%= it.state.tone %>"><%= it.state.words %></p>
<article class="card" aria-labelledby="title">
<% if (it.images.background) { %><img class="background" src="<%= it.images.background %>" alt="">
<% } %><header>
<% if (it.images.logo) { %><img class="logo" src="<%= it.images.logo %>" alt="<%= it.issuerName %>">
<% } else { %><p class="issuer" dir="auto"><%= it.issuerName %></p>
<% } %></header>
<% if (it.images.banner) { %><img class="banner" src="<%= it.images.banner %>" alt="">
<% } %><div class="body">
<div class="head">
<h1 id="title" dir="auto"><%= it.title %></h1>
<% if (it.images.thumbnail) { %><img class="thumbnail" src="<%= it.images.thumbnail %>" alt="">
<% } %></div>
<% if (it.primary) { %><dl class="primary"><div><dt dir="auto"><%= it.primary.label %></dt><dd dir="auto"><%= it.primary.value %></dd></div></dl>
<% } if (it.front.length > 0) { %><dl>
<% for (const field of it.front) { %><div><dt dir="auto"><%= field.label %></dt><dd dir="auto"><%= field.value %></dd></div>
<% } %></dl>
<% } %></div>
<figure>
<div class="qr" role="img" aria-label="QR code of this pass"><%~ it.codeSvg %></div>
<figcaption dir="auto"><%= it.code %></figcaption>
</figure>
</article>
<% if (it.appleUrl) { %><a class="button" href="<%= it.appleUrl %>" rel="nofollow">Add to Apple Wallet</a>
<div class="elsewhere">
<div class="qr" role="img" aria-label="QR code of the address of this page"><%~ it.pageSvg %></div>
<p>To add this pass on your phone, scan this code with its camera.</p>
</div>
<% } if (it.development) { %><p class="note">Development only: this pass is signed with a certificate that Apple did not issue, so a phone does not accept it.</p>
<% } if (it.back.length > 0) { %><section class="details" aria-labelledby="details">
<h2 id="details">Details</h2>
<dl>
<% for (const field of it.back) { %><div><dt dir="auto"><%= field.label %></dt><dd dir="auto"><% if (field.href) { %><a href="<%= field.href %>" rel="nofollow noopener noreferrer"><%= field.value %></a><% } else { %><%= field.value %><% } %></dd></div>
<% } %></dl>
</section>
<% } %></main>
</body>
</html>
`;
