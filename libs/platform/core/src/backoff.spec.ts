import fc from 'fast-check';
import { backoff } from './backoff.js';

it('backoff doubles the pause with each failure, up to the longest pause', () => {
  const pauses = [1, 2, 3, 5, 6, 1e6].map((failures) => backoff(failures, { first: 5, most: 100 }, 1));
  expect(pauses).toEqual([5, 10, 20, 80, 100, 100]);
  expect(backoff(3, { first: 5, most: 100, jitter: 0 })).toBe(20);
});

it('backoff shortens the pause by a random share of at most `jitter`', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), share, share, (failures, jitter, random) => {
      const whole = Math.min(3600, 5 * 2 ** (failures - 1));
      const pause = backoff(failures, { first: 5, most: 3600, jitter }, random);
      expect(pause).toBeGreaterThanOrEqual(whole * (1 - jitter) - 1e-9);
      expect(pause).toBeLessThanOrEqual(whole + 1e-9);
    }),
  );
  expect([0, 0.5, 1].map((random) => backoff(1, { first: 8, most: 8 }, random))).toEqual([4, 6, 8]);
});
