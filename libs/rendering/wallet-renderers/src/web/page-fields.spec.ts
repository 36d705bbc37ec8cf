import { aField, aPass, aTemplate, aWebContext } from '../render.fixtures.js';
import { webPage } from './page.js';

it('a page leaves out front fields with an empty or blank value, and their labels, as the wallets do', () => {
  const fields = [aField('a', 'Empty', ''), aField('b', 'Blank', ' \n'), aField('c', 'Shown', '0')];
  const { html } = webPage(aTemplate('offer', { fields }), aPass('offer', { fields: [] }), aWebContext());
  const [list = ''] = /<dl class="fields[^]*?<\/dl>/.exec(html) ?? [];
  expect(list.match(/(?<=<dt[^>]*>)[^<]*/g)).toEqual(['Shown']);
});

it('a page shows the addresses within a text of the other direction from left to right', () => {
  const pass = aPass('offer', { backFields: [aField('help', 'المساعدة', 'اتصل على +49 40 12345.')] });
  const { html } = webPage(aTemplate('offer'), pass, aWebContext());
  expect(html).toMatch(/<a href="tel:\+494012345"[^>]* dir="ltr">\+49 40 12345<\/a>/);
});
