import fc from 'fast-check';
import { checkDigit, withCheckDigit } from './check-digit.js';

it.each([
  ['400638133393', '1'],
  ['978020137962', '4'],
  ['1540014128876', '3'],
  ['0000000000000', '0'],
])('checkDigit completes the digits %s with %s, as printed on real products', (digits, expected) => {
  expect(checkDigit(digits)).toBe(expected);
});

const digits = fc.stringMatching(/^\d{12,13}$/);

it('a check digit reveals every change of a single digit', () => {
  fc.assert(
    fc.property(digits, fc.nat(11), fc.integer({ min: 1, max: 9 }), (own, place, offset) => {
      const code = own + checkDigit(own);
      const wrong = [...code];
      wrong[place] = String((Number(code[place]) + offset) % 10);
      expect(withCheckDigit(code)).toBe(code);
      expect(withCheckDigit(wrong.join(''))).not.toBe(wrong.join(''));
    }),
  );
});
