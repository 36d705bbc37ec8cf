import fc from 'fast-check';
import { propertyPath } from './property-path.js';

it('propertyPath writes a path as in JavaScript', () => {
  const keys = ['fields', 2, 'a b', 'label'];
  expect(keys.reduce<string>(propertyPath, '')).toBe('fields[2]["a b"].label');
});

it('propertyPath cuts a name after 60 characters and never splits a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
      const path = propertyPath('', name);
      // Each escaped character takes six characters in the path.
      expect(path.length).toBeLessThanOrEqual(61 * 6 + 4);
      expect(Buffer.from(path).toString()).toBe(path);
    }),
  );
});
