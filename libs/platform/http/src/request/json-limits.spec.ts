import fc from 'fast-check';
import { hasMoreValuesThan, isNestedDeeperThan } from './json-limits.js';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

it('isNestedDeeperThan measures the depth of any JSON text, whatever its layout and strings', () => {
  const text = fc.oneof(fc.string(), fc.stringMatching(/^[[\]{}"\\]*$/));
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof({ maxDepth: 8 }, text, fc.integer(), fc.array(tie('value')), fc.dictionary(text, tie('value'))),
  }));
  fc.assert(
    fc.property(value, fc.nat(8), fc.nat(2), (json, limit, indent) => {
      expect(isNestedDeeperThan(JSON.stringify(json, null, indent), limit)).toBe(depthOf(json) > limit);
    }),
    { numRuns: 1000 },
  );
});

function valuesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, item) => sum + valuesOf(item), 1);
}

it('hasMoreValuesThan never overestimates the number of values, and detects a long list or object', () => {
  const text = fc.oneof(fc.string(), fc.stringMatching(/^[,"\\]*$/));
  fc.assert(
    fc.property(fc.jsonValue(), fc.dictionary(text, text), fc.nat(8), (json, record, limit) => {
      for (const value of [json, record]) {
        if (hasMoreValuesThan(JSON.stringify(value, null, 1), limit)) expect(valuesOf(value)).toBeGreaterThan(limit);
      }
      expect(hasMoreValuesThan(JSON.stringify(record), limit)).toBe(Object.keys(record).length > Math.max(limit, 1));
    }),
    { numRuns: 1000 },
  );
});

it('isNestedDeeperThan and hasMoreValuesThan terminate on any text', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[[\]{}"\\a]*$/), (text) => {
      expect(typeof isNestedDeeperThan(text, 3)).toBe('boolean');
      expect(typeof hasMoreValuesThan(text, 3)).toBe('boolean');
    }),
  );
});

it('isNestedDeeperThan reads a mebibyte in linear time: quadratic time would take minutes', () => {
  expect(isNestedDeeperThan('"\\'.repeat(2 ** 19), 32)).toBe(false);
});
