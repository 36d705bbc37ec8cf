import fc from 'fast-check';
import { changeLine, changeMessageFormat, changeMessagePattern } from './change-message.js';

const text = fc.string({ unit: fc.constantFrom('%', '@', 'a', ' ', '🎟'), maxLength: 12 });

it('takes as a message what has %@ exactly once, and the empty text', () => {
  fc.assert(
    fc.property(text, (message) => {
      expect(changeMessagePattern.test(message)).toBe(message === '' || message.split('%@').length === 2);
    }),
  );
});

it('decides about a long text without %@ in linear time: in quadratic time it would take hours', () => {
  expect(changeMessagePattern.test('%'.repeat(2_000_000))).toBe(false);
});

it('shows a label, or the own message, with the value in place, whatever signs they hold', () => {
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
