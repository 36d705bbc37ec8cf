import fc from 'fast-check';
import { PreconditionFailed } from '../errors/wire-errors.js';
import { namesTag, parseTags, requireMatch } from './entity-tag.js';

it.each([
  ['"a"', ['"a"']],
  ['"a", W/"b" ,"c"', ['"a"', 'W/"b"', '"c"']],
  ['*', ['*']],
  ['', []],
  [' , ', []],
])('parseTags parses the entity tags of the header %j', (header, tags) => {
  expect(parseTags(header)).toEqual(tags);
});

it('namesTag matches entity tags by weak comparison, and * matches every tag', () => {
  expect(namesTag(['"a"', 'W/"b"'], '"b"')).toBe(true);
  expect(namesTag(['"b"'], 'W/"b"')).toBe(true);
  expect(namesTag(['*'], '"b"')).toBe(true);
  expect(namesTag(['"a"'], '"b"')).toBe(false);
  expect(namesTag(['b'], '"b"')).toBe(false);
  expect(namesTag([], '"b"')).toBe(false);
});

it('parseTags finds each entity tag in a header that lists several', () => {
  const tag = fc.stringMatching(/^(W\/)?"[a-z0-9.-]{0,10}"$/);
  fc.assert(
    fc.property(fc.array(tag, { minLength: 1 }), (tags) => {
      const parsed = parseTags(tags.join(', '));
      expect(parsed).toEqual(tags);
      for (const one of tags) expect(namesTag(parsed, one)).toBe(true);
    }),
  );
});

it('412 precondition_failed names the current tag', () => {
  expect(() => requireMatch(null, 'pass', '"2"')).not.toThrow();
  expect(() => requireMatch(['"2"'], 'pass', '"2"')).not.toThrow();
  expect(() => requireMatch(['"1"'], 'pass', '"2"')).toThrow(PreconditionFailed);
  expect(() => requireMatch(['"1"'], 'pass', '"2"')).toThrow('"2"');
  expect(() => requireMatch([], 'pass', '"2"')).toThrow(PreconditionFailed);
});
