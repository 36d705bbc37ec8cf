import fc from 'fast-check';
import { responseRules, interpret } from './apns-responses.js';

const outcomes = ['accepted', 'gone', 'bad_token', 'retry', 'invalid', 'rejected', 'credential_rejected'];

it('`interpret` accepts any response, and copies from its body only reasons that are plain names', () => {
  const body = fc.oneof(
    fc.constant(null),
    fc.string(),
    fc.json(),
    fc.record({ reason: fc.string(), timestamp: fc.anything() }).map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(fc.integer(), body, fc.option(fc.string()), fc.string(), (status, text, pushId, retryAfter) => {
      const [result] = interpret({ status, body: text, pushId, retryAfter });
      expect(result.pushId ?? 'none').toMatch(/^[\w-]+$/);
      expect(outcomes).toContain(result.outcome);
      expect(result.outcome === 'accepted').toBe(status === 200);
      expect(result.reason ?? 'none').toMatch(/^[\w ,:-]+$/);
      if (result.goneSince) expect(result.goneSince.getTime()).not.toBeNaN();
    }),
  );
});

it('`interpret` limits the Retry-After of a response to one day', () => {
  const pause = (retryAfter: string) =>
    interpret({ status: 503, body: '', pushId: null, retryAfter })[0].retryAfterSeconds;
  expect(pause('30')).toBe(30);
  expect(pause('999999999')).toBe(86_400);
  for (const unclear of ['soon', '-1', '1.5', '9'.repeat(30), '']) expect(pause(unclear)).toBeNull();
});

it('responseRules has only one rule for each status and reason', () => {
  const keys = responseRules.map(({ status, reason }) => `${status} ${reason}`);
  expect(new Set(keys).size).toBe(keys.length);
});
