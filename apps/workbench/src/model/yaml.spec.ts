import { yamlOf } from './yaml.js';

it('yamlOf writes maps and lists in blocks, except empty ones', () => {
  const body = { type: 'offer', fields: [{ key: 'points', value: '7' }, { key: 'tier' }], locations: [], more: {} };
  expect(yamlOf(body)).toBe(`type: offer
fields:
  - key: points
    value: "7"
  - key: tier
locations: []
more: {}
`);
});

it.each([
  ['20%', '"20%"'],
  ['#ffffff', '"#ffffff"'],
  ['true', '"true"'],
  ['No', '"No"'],
  ['2027-06-21', '"2027-06-21"'],
  ['a: b', '"a: b"'],
  ['two\nlines', '"two\\nlines"'],
  ['', '""'],
  ['- a', '"- a"'],
  [' a', '" a"'],
  ['a ', '"a "'],
  ['Gold club', 'Gold club'],
  ['Café, 4', 'Café, 4'],
  ['https://example.com/a', '"https://example.com/a"'],
])('yamlOf writes the text %j as %s', (text, written) => {
  expect(yamlOf({ text })).toBe(`text: ${written}\n`);
});

it('yamlOf writes numbers, booleans and null unquoted', () => {
  expect(yamlOf([1.5, true, null])).toBe('- 1.5\n- true\n- null\n');
});
