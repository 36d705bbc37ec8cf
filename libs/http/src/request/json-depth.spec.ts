import fc from 'fast-check';
import { isNestedDeeperThan } from './json-depth.js';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

it('tells the depth of any JSON text, however it is laid out, whatever its strings hold', () => {
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

it('ends on any text', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[[\]{}"\\a]*$/), (text) => {
      expect(typeof isNestedDeeperThan(text, 3)).toBe('boolean');
    }),
  );
});

it('reads a mebibyte in linear time', () => {
  const started = performance.now();
  expect(isNestedDeeperThan('"\\'.repeat(2 ** 19), 32)).toBe(false);
  expect(performance.now() - started).toBeLessThan(2000);
});
