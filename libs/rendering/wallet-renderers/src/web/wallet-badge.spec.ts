import { aPass, aTemplate, aWebContext } from '../render.fixtures.js';
import type { WebPageContext } from './page-context.js';
import { webPage } from './page.js';

const apple = { url: 'data:image/svg+xml;base64,YXBwbGU=', darkUrl: 'data:image/svg+xml;base64,ZGFyaw==' };
const google = { url: 'data:image/svg+xml;base64,Z29vZ2xl' };

const pageWith = (badges: WebPageContext['badges']) =>
  webPage(aTemplate('offer'), aPass('offer'), aWebContext({ badges: badges ?? {} }));
const links = (html: string) => html.match(/<a class="(?:button|other|badge)"[^]*?<\/a>/g) ?? [];

it("a page shows each wallet's badge, on light and dark backgrounds, and names the wallet for screen readers", () => {
  const { html, contentSecurityPolicy } = pageWith({ apple, google });
  const [first, second, ...more] = links(html);
  expect(more).toEqual([]);
  expect(first).toContain(
    `<picture><source srcset="${apple.darkUrl}" media="(prefers-color-scheme: dark)"><img src="${apple.url}" alt="Add to Apple Wallet"></picture>`,
  );
  expect(second).toContain(`<picture><img src="${google.url}" alt="Add to Google Wallet"></picture>`);
  expect(contentSecurityPolicy).toMatch(/img-src [^;]*data:/);
});

it('a page has a button with words for a wallet without a badge', () => {
  const [first, second] = links(pageWith({ apple: null, google }).html);
  expect(first).toMatch(/^<a class="button" [^>]*>Add to Apple Wallet<\/a>$/);
  expect(second).toContain('class="badge"');
});

it('a page without badges has buttons with words', () => {
  expect(links(pageWith(undefined).html).map((link) => /class="(\w+)"/.exec(link)?.[1])).toEqual(['button', 'button']);
});

it('a badge has a height of 56 pixels, and clear space of 8 pixels around it', () => {
  // Google asks for a height of 48 and a space of 8 pixels or more, and Apple for a space of a tenth of the height.
  const { html } = pageWith({ apple, google });
  expect(html).toMatch(/\.badge \{[^}]*padding: \.5rem;/);
  expect(html).toMatch(/\.badge img \{[^}]*height: 3\.5rem;/);
});
