import fc from 'fast-check';
import { RetryPolicy } from './retry-policy.js';

const now = new Date('2026-11-20T10:00:00.000Z');
const random = () => fc.double({ min: 0, max: 1, noNaN: true });
const retryAfter = () => fc.option(fc.integer({ min: 0, max: 10_000 }));

describe('an exponential policy', () => {
  const policy = RetryPolicy.exponential({ firstSeconds: 5, longestSeconds: 3600, mostFailures: 14 });

  it('an exponential policy doubles the pause with each failure, up to the longest pause', () => {
    const pauses = [1, 2, 3, 10, 11, 13, 1000].map((failures) => policy.pauseSeconds(failures, null, 1));
    expect(pauses).toEqual([5, 10, 20, 2560, 3600, 3600, 3600]);
  });

  it('an exponential policy waits for at least half of the pause, and never less than Retry-After', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), retryAfter(), random(), (failures, asked, spread) => {
        const pause = policy.pauseSeconds(failures, asked, spread);
        const longest = Math.min(3600, 5 * 2 ** (failures - 1));
        expect(pause).toBeGreaterThanOrEqual(Math.max(longest / 2, asked ?? 0));
        expect(pause).toBeLessThanOrEqual(Math.max(longest, asked ?? 0));
      }),
    );
  });

  it('an exponential policy gives up after `mostFailures` failures, or never without that option', () => {
    expect([13, 14].map((failures) => policy.isGivenUp(failures))).toEqual([false, true]);
    expect(policy.nextAttempt(14, now, null)).toBeNull();
    expect(RetryPolicy.exponential({ firstSeconds: 4, longestSeconds: 8 }).isGivenUp(1e9)).toBe(false);
  });
});

describe('a policy with a table', () => {
  const policy = RetryPolicy.table([5, 300], 3600);
  const after = (failures: number, asked: number | null, spread = 0) => {
    const at = policy.nextAttempt(failures, now, asked, spread);
    return at && (at.getTime() - now.getTime()) / 1000;
  };

  it('a table policy uses the pauses of its table and then gives up', () => {
    expect([1, 2, 3, 4].map((failures) => after(failures, null))).toEqual([5, 300, null, null]);
  });

  it('a table policy lengthens a pause at random by at most a tenth', () => {
    expect([0, 0.5, 1].map((spread) => after(2, null, spread))).toEqual([300, 315, 330]);
  });

  it('a table policy waits for a longer Retry-After, up to its limit', () => {
    expect([7, 120, 9999].map((asked) => after(1, asked))).toEqual([7, 120, 3600]);
    expect(after(2, 120)).toBe(300);
  });
});
