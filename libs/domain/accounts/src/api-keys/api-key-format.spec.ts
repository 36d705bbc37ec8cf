import fc from 'fast-check';
import { newId, randomId } from '@passwright/core';
import { apiKeySecret, apiKeyText, parseApiKey } from './api-key-format.js';

const base62 = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];
const base62Text = (length: number) =>
  fc.array(fc.constantFrom(...base62), { minLength: length, maxLength: length }).map((chars) => chars.join(''));
const accountIds = base62Text(22).map((text) => `acc_${text}`);
const keys = fc.record({
  id: base62Text(22),
  accountId: fc.option(accountIds),
  secret: base62Text(43),
  isTest: fc.boolean(),
});

describe('API key format', () => {
  it('an API key consists of the recognisable prefix, the id, the account, the secret and a checksum', () => {
    const [id, accountId, secret] = [randomId(), newId('acc'), apiKeySecret()];
    const rest = `_${id}_${accountId.slice(4)}_${secret}[0-9A-Za-z]{6}$`;
    expect(apiKeyText({ id, accountId, secret, isTest: false })).toMatch(new RegExp(`^pw_live${rest}`));
    expect(apiKeyText({ id, accountId, secret, isTest: true })).toMatch(new RegExp(`^pw_test${rest}`));
  });

  it('an API key omits an account id that the host app has chosen', () => {
    const key = { id: randomId(), accountId: 'museum', secret: apiKeySecret(), isTest: false };
    expect(parseApiKey(apiKeyText(key))).toEqual({ ...key, accountId: null });
  });

  it('the formats of API keys never change, so that keys in use stay valid', () => {
    const [id, account, secret, isTest] = ['A'.repeat(22), 'c'.repeat(22), 'b'.repeat(43), false];
    expect(apiKeyText({ id, accountId: null, secret, isTest })).toBe(`pw_live_${id}_${secret}1dwQAe`);
    const key = { id, accountId: `acc_${account}`, secret, isTest };
    expect(apiKeyText(key)).toBe(`pw_live_${id}_${account}_${secret}4CXnsy`);
    expect(apiKeyText({ ...key, isTest: true })).toBe(`pw_test_${id}_${account}_${secret}412Mzp`);
  });

  it('parseApiKey returns the parts from which a key was made', () => {
    fc.assert(fc.property(keys, (key) => expect(parseApiKey(apiKeyText(key))).toEqual(key)));
  });

  it('parseApiKey rejects an API key in which any one character was changed', () => {
    fc.assert(
      fc.property(keys, fc.nat(102), fc.constantFrom(...base62, '_', '-', ' ', 'é'), (key, at, character) => {
        const text = apiKeyText(key);
        fc.pre(at < text.length && text[at] !== character);
        expect(parseApiKey(text.slice(0, at) + character + text.slice(at + 1))).toBeNull();
      }),
      { numRuns: 1000 },
    );
  });

  it('parseApiKey rejects an API key in which two adjacent characters were swapped', () => {
    fc.assert(
      fc.property(keys, fc.integer({ min: 8, max: 95 }), (key, at) => {
        const text = apiKeyText(key);
        fc.pre(at < text.length - 7 && text[at] !== text[at + 1]);
        expect(parseApiKey(text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2))).toBeNull();
      }),
    );
  });

  it('parseApiKey rejects any text that is not an API key', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(parseApiKey(text)).toBeNull()));
    const key = apiKeyText({ id: randomId(), accountId: newId('acc'), secret: apiKeySecret(), isTest: false });
    for (const text of [key.slice(0, -1), `${key}0`, ` ${key}`, `${key}\n`]) expect(parseApiKey(text)).toBeNull();
  });
});
