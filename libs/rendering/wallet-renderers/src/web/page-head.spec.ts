import { aPass, aTemplate, aWebContext } from '../render.fixtures.js';
import { webPage } from './page.js';
import type { WebPageContext } from './page-context.js';

const preview = { url: 'https://cdn.example.com/preview.jpg', width: 1200, height: 630 };

const headOf = (images: WebPageContext['images']) =>
  webPage(aTemplate('event', { backgroundColor: '#123' }), aPass('event'), aWebContext({ images })).html.split(
    '<style>',
  )[0];

it('the head of a page describes the pass for shared links, and keeps the page out of search engines and referrers', () => {
  const head = headOf({ icon: 'https://cdn.example.com/icon.png', preview });
  for (const tag of [
    '<meta name="robots" content="noindex">',
    '<meta name="referrer" content="no-referrer">',
    '<meta name="theme-color" content="#112233">',
    '<link rel="canonical" href="https://passes.example.com/p/a/t/p">',
    '<meta property="og:type" content="website">',
    '<meta property="og:title" content="Autumn concert">',
    '<meta property="og:site_name" content="Harbour Hall">',
    '<meta property="og:url" content="https://passes.example.com/p/a/t/p">',
    '<meta property="og:image" content="https://cdn.example.com/preview.jpg">',
    '<meta property="og:image:alt" content="Autumn concert · Harbour Hall">',
    '<link rel="icon" href="https://cdn.example.com/icon.png">',
    '<link rel="apple-touch-icon" href="https://cdn.example.com/icon.png">',
  ]) {
    expect(head).toContain(tag);
  }
  const summary = /<meta name="description" content="(Harbour Hall · [^"]*21 November 2026[^"]*)">/.exec(head!)?.[1];
  expect(head).toContain(`<meta property="og:description" content="${summary}">`);
});

it('a shared link has a small preview if the only image is small, and a page without an icon asks for none', () => {
  const head = headOf({ preview: { ...preview, width: 192, height: 192 } });
  expect(head).toContain('<meta name="twitter:card" content="summary">');
  expect(head).toContain('<link rel="icon" href="data:,">');
  expect(head).not.toContain('apple-touch-icon');
});
