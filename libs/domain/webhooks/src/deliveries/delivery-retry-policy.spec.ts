import fc from 'fast-check';
import { deliveryRetries, heldUntil, pausesSeconds, retryAfterSeconds } from './delivery-retry-policy.js';

const now = new Date('2026-11-20T10:00:00.000Z');
const after = (at: Date | null) => at && (at.getTime() - now.getTime()) / 1000;

it('the retry policy allows ten attempts for a delivery, with pauses from 5 seconds to 24 hours', () => {
  const pauses = Array.from({ length: 10 }, (_, index) => after(deliveryRetries.nextAttempt(index + 1, now, null, 0)));
  const [minute, hour] = [60, 3600];
  expect(pauses).toEqual([5, 5 * minute, 30 * minute, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour), null]);
});

it('the retry policy prolongs each pause randomly by up to a tenth', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), fc.double({ min: 0, max: 0.999, noNaN: true }), (failed, random) => {
      const pause = after(deliveryRetries.nextAttempt(failed, now, null, random)) ?? 0;
      const published = pausesSeconds[failed - 1] ?? 0;
      return pause >= published && pause <= published * 1.1;
    }),
  );
});

it('the retry policy waits as long as Retry-After says, up to a day, unless the planned pause is longer', () => {
  expect(after(deliveryRetries.nextAttempt(1, now, 120, 0))).toBe(120);
  expect(after(deliveryRetries.nextAttempt(2, now, 120, 0))).toBe(300);
  expect(after(deliveryRetries.nextAttempt(1, now, 999_999_999, 0))).toBe(86_400);
});

it('the retry policy pauses a webhook for at least a second and at most an hour', () => {
  expect([0, 30, 86_400].map((asked) => after(heldUntil(now, asked)))).toEqual([1, 30, 3600]);
});

it.each([
  ['17', 17],
  ['Fri, 20 Nov 2026 10:01:00 GMT', 60],
  ['Fri, 20 Nov 2026 09:00:00 GMT', 0],
  ['soon', null],
  ['-5', null],
  ['1e9', null],
  ['', null],
])('retryAfterSeconds converts the Retry-After header %j to %j', (header, seconds) => {
  expect(retryAfterSeconds(header, now)).toBe(seconds);
});
