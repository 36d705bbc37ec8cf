import { renderGuide } from './guide-markdown.js';

const addressOf = (file: string) => (file.startsWith('..') || file.includes('missing') ? null : `/guides/${file}`);
const render = (source: string, file = 'recipes/loyalty.md') => renderGuide(file, source, addressOf);

it('renderGuide gives headings the ids that code hosts give them', () => {
  const { html, sections } = render('# All *documents*\n\n## Set-up: `npm start`\n\n## Über 10\n\n## Über 10\n');
  expect(sections.map(({ id }) => id)).toEqual(['all-documents', 'set-up-npm-start', 'über-10', 'über-10-1']);
  expect(html).toContain('<h2 id="set-up-npm-start">Set-up: <code>npm start</code></h2>');
});

it('renderGuide resolves links relative to the folder of the guide, and keeps their fragments', () => {
  const { html } = render(
    '[a](../webhooks.md#secrets) [b](gym.md) [c](#here) [d](https://example.com/x.md)\n\n![e](../images/pass.png)',
  );
  expect([...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address)).toEqual([
    '/guides/webhooks.md#secrets',
    '/guides/recipes/gym.md',
    '#here',
    'https://example.com/x.md',
    '/guides/images/pass.png',
  ]);
});

it('renderGuide replaces a link with its text if the service does not serve its target', () => {
  const { html } = render('See [the *client*](../../libs/README.md), and [more](../a.md).');
  expect(html).toBe('<p>See <span>the <em>client</em></span>, and <a href="/guides/a.md">more</a>.</p>\n');
});

it('renderGuide makes tables scrollable by keyboard', () => {
  const { html } = render('| a | b |\n| - | - |\n| 1 | 2 |\n');
  expect(html).toMatch(/^<div class="scroll" tabindex="0"><table>[^]*<\/table>\s*<\/div>$/);
});

it('renderGuide aligns columns by classes, because the security policy of the pages blocks inline styles', () => {
  const { html } = render('| a | b | c | d |\n| - | -: | :-: | :- |\n| 1 | 2 | 3 | 4 |\n');
  expect(html).toContain('<tr>\n<th>a</th>\n<th class="right">b</th>\n<th class="center">c</th>\n<th>d</th>\n</tr>');
  expect(html).toContain('<td>1</td>\n<td class="right">2</td>\n<td class="center">3</td>\n<td>4</td>');
});

it('renderGuide uses the code in a table row as the id of the row, and uses each id only once', () => {
  const { html } = render('| Code |\n| - |\n| `pass_exists` |\n| `pass_exists` |\n| `npm start` |\n| other |\n');
  expect([...html.matchAll(/<tr(?: id="([^"]*)")?>/g)].map(([, id]) => id)).toEqual([
    undefined,
    'pass_exists',
    undefined,
    undefined,
    undefined,
  ]);
});

it('renderGuide returns the first heading as the title of the guide, and lists the text below each heading', () => {
  const { path, title, sections } = render(
    '# One\n\nText `code` of\none.\n\n## Two\n\n- item\n\n```sh\nnpm start\n```\n',
  );
  expect([path, title]).toEqual(['recipes/loyalty', 'One']);
  expect(sections).toEqual([
    { id: 'one', heading: 'One', text: 'Text code of one. ' },
    { id: 'two', heading: 'Two', text: 'item npm start\n ' },
  ]);
});
