import type { WebPage } from '@passwright/wallet-renderers';
import { pageRenderer, type PageView } from '../pages/page.js';
import type { Guide } from './guide-markdown.js';
import type { FoundSection } from './guide-search.js';
import { guideStyle } from './guide-style.js';
import type { Guides } from './guides.service.js';

/** A list of links in the navigation, under a heading of the overview. */
interface NavigationGroup {
  readonly heading: string;
  readonly links: readonly { readonly path: string; readonly title: string; readonly isCurrent: boolean }[];
}

interface GuidePageView extends PageView {
  readonly words: string;
  readonly navigation: readonly NavigationGroup[];
}

const frame = (main: string) => `<header class="masthead">
<a href="<%= it.root %>/"><img src="<%= it.root %>/favicon.svg" alt="" width="28" height="28">Passwright</a>
<form action="<%= it.root %>/guides/search" role="search">
<input type="search" name="q" value="<%= it.words %>" aria-label="Search the guides" placeholder="Search" required maxlength="100">
<button class="button">Search</button>
</form>
<nav aria-label="Passwright">
<a href="<%= it.root %>/guides">Guides</a>
<a href="<%= it.root %>/docs">API reference</a>
<a href="<%= it.root %>/workbench">Workbench</a>
</nav>
</header>
<div class="columns">
<div class="navigation">
<nav aria-label="Guides">
<% for (const group of it.navigation) { %><h2><%= group.heading %></h2>
<ul><% for (const link of group.links) { %><li><a href="<%= it.root %>/guides<%= link.path && '/' + link.path %>"<%~ link.isCurrent ? ' aria-current="page"' : '' %>><%= link.title %></a></li>
<% } %></ul>
<% } %></nav>
</div>
<main class="guide">${main}</main>
</div>`;

const renderedGuide = pageRenderer<GuidePageView & { readonly html: string }>(frame('<%~ it.html %>'), guideStyle);

const results = pageRenderer<GuidePageView & { readonly found: readonly FoundSection[] }>(
  frame(`<h1>Search</h1>
<% if (it.words === '') { %><p>Enter what you look for.</p>
<% } else if (it.found.length === 0) { %><p>Nothing is found for <strong><%= it.words %></strong>. Try fewer or other words.</p>
<% } else { %><p><%= it.found.length %> results for <strong><%= it.words %></strong></p>
<ol class="results"><% for (const one of it.found) { %><li><a href="<%= it.root %>/guides/<%= one.path %>"><%= one.heading %></a>
<p class="muted"><%= one.guide %></p>
<p><%= one.excerpt %></p></li>
<% } %></ol><% } %>`),
  guideStyle,
);

export function guidePage(root: string, guides: Guides, guide: Guide): WebPage {
  const title = guide.path === '' ? 'Passwright guides' : `${guide.title} – Passwright`;
  return renderedGuide({ root, title, words: '', navigation: navigationOf(guides, guide.path), html: guide.html });
}

export function searchPage(root: string, guides: Guides, words: string, found: readonly FoundSection[]): WebPage {
  return results({ root, title: 'Search – Passwright', words, navigation: navigationOf(guides, null), found });
}

/** Returns the title of a link without the word that names its group: `Recipe: a gym` becomes `A gym`. */
function titleIn(group: string, title: string): string {
  const [, own] = /^Recipe: (.+)$/.exec(group === 'Recipes' ? title : '') ?? [];
  return own === undefined ? title : own.charAt(0).toUpperCase() + own.slice(1);
}

function navigationOf({ navigation, byPath }: Guides, current: string | null): NavigationGroup[] {
  return navigation.map(({ heading, guides }) => ({
    heading,
    links: guides.flatMap((path) => {
      const guide = byPath.get(path);
      return guide
        ? [{ path, title: path === '' ? 'Overview' : titleIn(heading, guide.title), isCurrent: path === current }]
        : [];
    }),
  }));
}
