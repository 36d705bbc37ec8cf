import { aPass, aTemplate, aWebContext } from '../render.fixtures.js';
import { webPage } from './page.js';

it('a page names a related pass without an address, but does not link to it', () => {
  const other = { title: 'Parking', issuerName: 'Harbour Hall', detail: '', iconUrl: null, ended: null, webUrl: null };
  const related = { passes: [other], allUrl: null };
  const { html } = webPage(aTemplate('offer'), aPass('offer'), aWebContext({ related }));
  const list = /<nav id="related"[^]*?<\/nav>/.exec(html)![0];
  expect(list).not.toContain('href');
  for (const text of ['>Your passes<', '>Parking<', '>Harbour Hall<']) expect(list).toContain(text);
});
