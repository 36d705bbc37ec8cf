import fc from 'fast-check';
import { defaultPacing, nextLookSeconds, pauseSeconds, pushRetries } from './push-pacing.js';

describe('pauseSeconds', () => {
  it('returns the push window below the burst, and above it the time until one more push is allowed', () => {
    expect([1, 19.9, 20, 25].map((score) => pauseSeconds(score, defaultPacing))).toEqual([30, 30, 1800, 1800]);
  });

  it('returns at least the push window, and only the window without an hourly limit', () => {
    expect(pauseSeconds(99, { windowSeconds: 600, perHour: 3600, burst: 1 })).toBe(600);
    expect(pauseSeconds(99, { windowSeconds: 0, perHour: 0, burst: 1 })).toBe(0);
  });
});

it('plans checks of a pushed device after 10 minutes, 1, 6 and 24 hours, and then none', () => {
  expect([1, 2, 3, 4, 5, 99].map(nextLookSeconds)).toEqual([600, 3600, 21_600, 86_400, null, null]);
});

it('the retry delay of a push grows up to an hour, and is never shorter than Retry-After', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1000 }),
      fc.option(fc.integer({ min: 0, max: 10_000 })),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (failures, retryAfter, random) => {
        const pause = pushRetries.pauseSeconds(failures, retryAfter, random);
        const longest = Math.min(3600, 5 * 2 ** (failures - 1));
        expect(pause).toBeGreaterThanOrEqual(Math.max(longest / 2, retryAfter ?? 0));
        expect(pause).toBeLessThanOrEqual(Math.max(longest, retryAfter ?? 0));
      },
    ),
  );
});
