import { aField, aPass, aTemplate, aWebContext } from '../render.fixtures.js';
import { webPage } from './page.js';

it('a page leaves out front fields with an empty or blank value, and their labels, as the wallets do', () => {
  const fields = [aField('a', 'Empty', ''), aField('b', 'Blank', ' \n'), aField('c', 'Shown', '0')];
  const { html } = webPage(aTemplate('offer', { fields }), aPass('offer', { fields: [] }), aWebContext());
  const [list = ''] = /<dl class="fields[^]*?<\/dl>/.exec(html) ?? [];
  expect(list.match(/(?<=<dt[^>]*>)[^<]*/g)).toEqual(['Shown']);
});
