// Configures the static site that VitePress makes from the documents (see ../build.mjs).
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { defineConfig } from 'vitepress';

const base = process.env.SITE_BASE ?? '/';
const pages = join(import.meta.dirname, '../pages');
const read = (/** @type {string} */ file) => readFileSync(join(pages, file), 'utf8');
/** @type {{ heading: string, guides: string[] }[]} */
const navigation = JSON.parse(read('navigation.json'));
/** @type {{ version: string, versions: string[] }} */
const { version, versions } = JSON.parse(read('release.json'));

const titleOf = (/** @type {string} */ guide) => /^# (.+)$/m.exec(read(`${guide || 'index'}.md`))?.[1];
const sidebar = navigation.map(({ heading, guides }) => ({
  text: heading,
  items: guides.map((guide) => ({ text: guide === '' ? 'Overview' : titleOf(guide), link: `/${guide}` })),
}));

export default defineConfig({
  title: 'Passwright',
  description: 'The wallet pass service you run yourself',
  srcDir: 'pages',
  base,
  outDir: process.env.SITE_OUT,
  head: [['link', { rel: 'icon', href: `${base}favicon.svg` }]],
  markdown: {
    // The default themes have too little contrast on some of their own backgrounds.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (markdown) => void markdown.core.ruler.push('links', ({ tokens, env }) => adapt(tokens, env)),
  },
  themeConfig: {
    search: { provider: 'local' },
    sidebar,
    outline: [2, 3],
    nav: [
      { text: 'Postman collection', link: '/postman.json', target: '_self' },
      { text: 'Changelog', link: '/changelog' },
      {
        text: version,
        items: versions.map((each) => ({ text: each, link: `/${each}/`, target: '_self' })),
      },
    ],
  },
});

/**
 * Replaces a link to a file outside the site with the text of the link, like the service.
 * @param {any[]} tokens
 * @param {{ relativePath: string }} env
 */
function adapt(tokens, { relativePath }) {
  for (const { children } of tokens) {
    let isPlain = false;
    for (const token of children ?? []) {
      if (token.type === 'link_open' && !isServed(token.attrGet('href'), relativePath)) {
        [isPlain, token.tag, token.attrs] = [true, 'span', null];
      } else if (token.type === 'link_close' && isPlain) {
        [isPlain, token.tag] = [false, 'span'];
      }
    }
  }
}

/** @param {string} target @param {string} page */
function isServed(target, page) {
  if (/^(?:[a-z]+:|#)/.test(target)) return true;
  const [path = ''] = target.split('#', 1);
  return existsSync(join(pages, posix.dirname(page), path.replace(/\.html$/, '.md')));
}
