import fc from 'fast-check';
import { propertyPath } from './property-path.js';

it('writes paths as programmers do', () => {
  const keys = ['fields', 2, 'a b', 'label'];
  expect(keys.reduce<string>(propertyPath, '')).toBe('fields[2]["a b"].label');
});

it('never shows a name in full that is longer than 60 characters, nor half a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
      const path = propertyPath('', name);
      // A refused character is written as an escape of six characters.
      expect(path.length).toBeLessThanOrEqual(61 * 6 + 4);
      expect(Buffer.from(path).toString()).toBe(path);
    }),
  );
});
