import { Unauthorized } from '@passwright/core';
import { FixedClock } from '@passwright/testing';
import fc from 'fast-check';
import { accountsOptions } from '../accounts.fixtures.js';
import { SignInAttempts } from './sign-in-attempts.service.js';

const clock = new FixedClock();
const attemptsWith = (changes: object = {}, at = clock) =>
  new SignInAttempts({ baseUrl: 'https://passes.example.com', provider: null }, accountsOptions(changes), at);
const attempts = attemptsWith();
const wish = { accountId: 'acc_1', invite: 'an-invitations-code', returnTo: 'https://app.example.com/signed-in' };
const begun = attempts.begin(wish);
const sent = attempts.cookieOf(begun).split(';', 1)[0] ?? '';

describe('a sign-in attempt', () => {
  it('a node reads a sign-in attempt from the cookie of another node, even among other cookies', () => {
    expect(attemptsWith({}, new FixedClock()).resume(`a=b; ${sent}; c=d`, begun.state)).toEqual(begun);
    expect(begun).toMatchObject(wish);
  });

  it('a sign-in attempt expires exactly ten minutes after it began', () => {
    const later = new FixedClock();
    later.advance(599);
    expect(attemptsWith({}, later).resume(sent, begun.state)).toEqual(begun);
    later.advance(1);
    expect(() => attemptsWith({}, later).resume(sent, begun.state)).toThrow(Unauthorized);
  });

  it('a sign-in attempt cannot be read from its cookie without the secret', () => {
    const stranger = attemptsWith({ accessTokenSecret: 'another secret that has more than 32 characters' });
    expect(() => stranger.resume(sent, begun.state)).toThrow(Unauthorized);
    const bytes = Buffer.from(sent.slice(sent.indexOf('=') + 1), 'base64url').toString('latin1');
    for (const secret of [begun.state, begun.codeVerifier, wish.returnTo, wish.invite])
      expect(bytes).not.toContain(secret);
  });

  it('SignInAttempts rejects an attempt with another state, and any cookie that it has not encrypted', () => {
    expect(() => attempts.resume(sent, attempts.begin(wish).state)).toThrow(Unauthorized);
    expect(() => attempts.resume(sent, null)).toThrow(Unauthorized);
    const name = sent.slice(0, sent.indexOf('='));
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), (value) => {
        expect(() => attempts.resume(`${name}=${value}`, begun.state)).toThrow(Unauthorized);
      }),
    );
    fc.assert(
      fc.property(fc.nat(sent.length - name.length - 3), fc.integer({ min: 1, max: 63 }), (at, by) => {
        const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
        const index = name.length + 1 + at;
        const other = alphabet[(alphabet.indexOf(sent[index] ?? '') + by) % 64];
        const changed = sent.slice(0, index) + other + sent.slice(index + 1);
        expect(() => attempts.resume(changed, begun.state)).toThrow(Unauthorized);
      }),
    );
  });
});
