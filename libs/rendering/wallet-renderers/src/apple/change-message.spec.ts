import fc from 'fast-check';
import { changeLine, changeMessageFormat, changeMessagePattern } from './change-message.js';

const text = fc.string({ unit: fc.constantFrom('%', '@', 'a', ' ', '🎟'), maxLength: 12 });

it('changeMessagePattern accepts only the empty text and change messages with exactly one %@', () => {
  fc.assert(
    fc.property(text, (message) => {
      expect(changeMessagePattern.test(message)).toBe(message === '' || message.split('%@').length === 2);
    }),
  );
});

it('changeMessagePattern rejects a long text without %@ in linear time; quadratic time would take hours', () => {
  expect(changeMessagePattern.test('%'.repeat(2_000_000))).toBe(false);
});

it('changeLine inserts the value into a message, even if the texts contain special characters', () => {
  fc.assert(
    fc.property(text, text, text, (label, own, value) => {
      const format = changeMessageFormat(label, undefined);
      expect(changeLine(format!, value)).toBe(label === '' ? value : `${label}: ${value}`);
      fc.pre(own !== '' && changeMessagePattern.test(own));
      const [before, after] = own.split('%@');
      expect(changeLine(changeMessageFormat(label, own)!, value)).toBe(`${before}${value}${after}`);
    }),
  );
});
