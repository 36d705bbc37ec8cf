import fc from 'fast-check';
import { propertyPath } from './property-path.js';

it('writes paths in programming notation', () => {
  const keys = ['fields', 2, 'a b', 'label'];
  expect(keys.reduce<string>(propertyPath, '')).toBe('fields[2]["a b"].label');
});

it('truncates a name after 60 characters and never in the middle of a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
      const path = propertyPath('', name);
      // An escaped character takes six characters.
      expect(path.length).toBeLessThanOrEqual(61 * 6 + 4);
      expect(Buffer.from(path).toString()).toBe(path);
    }),
  );
});
