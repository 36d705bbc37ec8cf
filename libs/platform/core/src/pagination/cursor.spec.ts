import fc from 'fast-check';
import { ValidationFailed } from '../errors/wire-errors.js';
import { decodeCursor, encodeCursor } from './cursor.js';

const anything = () => true;
const base64url = (text: string) => Buffer.from(text).toString('base64url');

it('a cursor decodes to its original position', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 4 }), (position) => {
      const cursor = encodeCursor(position);
      expect(cursor).toMatch(/^[A-Za-z0-9_-]*$/);
      expect(decodeCursor(cursor, ...position.map(() => anything))).toEqual(position);
    }),
  );
});

it('a missing cursor decodes to null', () => {
  expect(decodeCursor(undefined, anything)).toBeNull();
});

it('400 validation_failed for any cursor that this list did not issue', () => {
  const isNumber = (value: string) => /^\d+$/.test(value);
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json().map(base64url)), (forged) => {
      try {
        expect(decodeCursor(forged, isNumber)).toEqual([expect.stringMatching(/^\d+$/)]);
      } catch (error) {
        expect(error).toBeInstanceOf(ValidationFailed);
      }
    }),
  );
});

it.each([['a'], ['1', '2'], []])(
  "400 validation_failed for another list's cursor with the position %j",
  (...position) => {
    expect(() => decodeCursor(encodeCursor(position), (value) => value === '1')).toThrow(ValidationFailed);
  },
);
