import fc from 'fast-check';
import { repeatedName } from './repeated-name.js';

it.each([
  ['{"a":1,"a":2}', 'a', 7],
  ['{"a":{"b":[{"c":1},{"d":1,"d":1}]}}', 'd', 26],
  ['{"a":{"a":1},"b":["a","a"],"a":1}', 'a', 27],
  ['{ "a" : 1 ,\n "\\u0061" : 2 }', 'a', 13],
  ['{"":1,"":2}', '', 6],
  ['[{"x\\"":1,"x\\"":2}]', 'x"', 10],
])('repeatedName finds the repeated name in %s', (text, name, position) => {
  expect(repeatedName(text)).toEqual({ name, position });
});

it.each(['{"a":"a","b":"b"}', '[{"a":1},{"a":1}]', '{"a":{"a":{"a":[]}}}', '["a","a"]', '{"a":["{","a\\":"],"b":"a"}'])(
  'repeatedName finds no repeated name in %s',
  (text) => {
    expect(repeatedName(text)).toBeNull();
  },
);

it("repeatedName finds a name in JSON.stringify's output only if the name was added twice", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (value) => {
      const text = JSON.stringify(value);
      expect(repeatedName(text)).toBeNull();
      const [name = ''] = Object.keys(value);
      expect(repeatedName(`${text.slice(0, -1)},${JSON.stringify(name)}:0}`)).toMatchObject({ name });
    }),
  );
});
