import { createHmac, generateKeyPairSync } from 'node:crypto';
import { TokenExpired, Unauthorized } from '@passwright/core';
import { FixedClock } from '@passwright/testing';
import fc from 'fast-check';
import { decode, sign } from 'jsonwebtoken';
import { accountsOptions } from '../accounts.fixtures.js';
import { AccessTokens } from './access-tokens.service.js';

const claims = { uid: 'usr_1', accountId: 'acc_1', sessionId: 'ses_1' };
const options = accountsOptions();

describe('access tokens', () => {
  const clock = new FixedClock();
  const tokens = new AccessTokens(options, clock);
  const forged = (payload: object, settings: object = {}, key: string = options.accessTokenSecret) =>
    sign({ sub: 'usr_1', acc: 'acc_1', sid: 'ses_1', iat: 1, exp: 4_000_000_000, ...payload }, key, {
      issuer: 'passwright',
      audience: 'passwright-api',
      ...settings,
    });

  it('an access token names only the user, the active account and the session', () => {
    const token = tokens.issue(claims);
    expect(tokens.read(token)).toEqual(claims);
    expect(Object.keys(decode(token) as object).sort()).toEqual(['acc', 'aud', 'exp', 'iat', 'iss', 'sid', 'sub']);
  });

  it('a node accepts an access token of another node with the same secret', () => {
    expect(new AccessTokens(options, new FixedClock()).read(tokens.issue(claims))).toEqual(claims);
  });

  it('401 token_expired for an access token as soon as it reaches its expiry', () => {
    const later = new FixedClock();
    const token = tokens.issue(claims);
    later.advance(899);
    expect(new AccessTokens(options, later).read(token)).toEqual(claims);
    later.advance(1);
    expect(() => new AccessTokens(options, later).read(token)).toThrow(TokenExpired);
  });

  it('401 unauthorized for an access token that a node with a wrong clock issued in the future', () => {
    const ahead = new FixedClock();
    ahead.advance(400 * 86_400);
    const token = new AccessTokens(options, ahead).issue(claims);
    expect(() => tokens.read(token)).toThrow(Unauthorized);
  });

  it('401 unauthorized, not token_expired, for an expired access token from another issuer', () => {
    expect(() => tokens.read(forged({ exp: 1 }, {}, 'another secret, also of more than 32 characters'))).toThrow(
      Unauthorized,
    );
  });

  it('401 unauthorized for another algorithm, issuer, audience or secret, and for missing claims', () => {
    const [header, payload] = forged({}).split('.');
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const foreign = [
      `${none}.${payload}.`,
      `${none}.${payload}.${createHmac('sha256', options.accessTokenSecret).update(`${none}.${payload}`).digest('base64url')}`,
      `${header}.${payload}.`,
      forged({}, { algorithm: 'HS512' }),
      sign({ sub: 'usr_1', acc: 'acc_1', sid: 'ses_1' }, privateKey, { algorithm: 'RS256' }),
      forged({}, { issuer: 'another' }),
      forged({}, { audience: 'another' }),
      forged({}, {}, 'another secret, also of more than 32 characters'),
      forged({ acc: undefined }),
      forged({ sid: 1 }),
      forged({}, { noTimestamp: true }),
      sign('text', options.accessTokenSecret),
    ];
    expect(tokens.read(forged({}))).toEqual(claims);
    for (const token of foreign) expect(() => tokens.read(token)).toThrow(Unauthorized);
  });

  it('401 unauthorized for an access token without an expiry', () => {
    // The library would set `iat` to the real time, which is ahead of the fixed clock.
    const payload = { sub: 'usr_1', acc: 'acc_1', sid: 'ses_1', iat: 1 };
    const settings = { issuer: 'passwright', audience: 'passwright-api' };
    const signed = (more: object) => sign({ ...payload, ...more }, options.accessTokenSecret, settings);
    expect(tokens.read(signed({ exp: 4_000_000_000 }))).toEqual(claims);
    expect(() => tokens.read(signed({}))).toThrow(Unauthorized);
  });

  it('401 unauthorized for text that is not an access token', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(() => tokens.read(text)).toThrow(Unauthorized)));
  });
});
