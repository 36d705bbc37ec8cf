import fc from 'fast-check';
import { answerRules, interpret } from './apns-answers.js';

const outcomes = ['accepted', 'gone', 'bad_token', 'retry', 'invalid', 'refused', 'halted'];

it('interprets any response safely, and passes on no text of the peer except a name', () => {
  const body = fc.oneof(
    fc.constant(null),
    fc.string(),
    fc.json(),
    fc.record({ reason: fc.string(), timestamp: fc.anything() }).map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(fc.integer(), body, fc.option(fc.string()), fc.string(), (status, text, pushId, retryAfter) => {
      const [answer] = interpret({ status, body: text, pushId, retryAfter });
      expect(answer.pushId ?? 'none').toMatch(/^[\w-]+$/);
      expect(outcomes).toContain(answer.outcome);
      expect(answer.outcome === 'accepted').toBe(status === 200);
      expect(answer.reason ?? 'none').toMatch(/^[\w ,:-]+$/);
      if (answer.goneSince) expect(answer.goneSince.getTime()).not.toBeNaN();
    }),
  );
});

it('honours the Retry-After of a response up to one day', () => {
  const pause = (retryAfter: string) =>
    interpret({ status: 503, body: '', pushId: null, retryAfter })[0].retryAfterSeconds;
  expect(pause('30')).toBe(30);
  expect(pause('999999999')).toBe(86_400);
  for (const unclear of ['soon', '-1', '1.5', '9'.repeat(30), '']) expect(pause(unclear)).toBeNull();
});

it('has exactly one rule per documented response, so that no rule hides another', () => {
  const keys = answerRules.map(({ status, reason }) => `${status} ${reason}`);
  expect(new Set(keys).size).toBe(keys.length);
});
