import fc from 'fast-check';
import { newId } from '@passwright/core';
import { parseRefreshToken, refreshSecret, refreshSecretHash, refreshTokenText } from './refresh-token.js';

describe('refresh token format', () => {
  it('parseRefreshToken returns the session and the secret of a refresh token', () => {
    const token = { accountId: newId('acc'), sessionId: newId('ses'), secret: refreshSecret() };
    expect(parseRefreshToken(refreshTokenText(token))).toEqual(token);
    expect(refreshTokenText(token).length).toBeLessThanOrEqual(200);
  });

  it('parseRefreshToken rejects text that is not a refresh token', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(parseRefreshToken(text)).toBeNull()));
    const text = refreshTokenText({ accountId: newId('acc'), sessionId: newId('ses'), secret: refreshSecret() });
    for (const other of [`${text}\n`, text.slice(1), text.slice(0, -1), text.replace('ses_', 'acc_')]) {
      expect(parseRefreshToken(other)).toBeNull();
    }
  });

  it('refreshSecretHash returns a 32-byte hash, which is different for different secrets', () => {
    const [one, two] = [refreshSecretHash(refreshSecret()), refreshSecretHash(refreshSecret())];
    expect(one).toHaveLength(32);
    expect(one.equals(two)).toBe(false);
  });
});
