import fc from 'fast-check';
import { pushRetryPolicy } from './push-retry-policy.js';

it('the retry delay of a push grows to at most an hour, but is never shorter than Retry-After', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1000 }),
      fc.option(fc.integer({ min: 0, max: 10_000 })),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (failures, retryAfter, random) => {
        const pause = pushRetryPolicy.pauseSeconds(failures, retryAfter, random);
        const longest = Math.min(3600, 5 * 2 ** (failures - 1));
        expect(pause).toBeGreaterThanOrEqual(Math.max(longest / 2, retryAfter ?? 0));
        expect(pause).toBeLessThanOrEqual(Math.max(longest, retryAfter ?? 0));
      },
    ),
  );
});
