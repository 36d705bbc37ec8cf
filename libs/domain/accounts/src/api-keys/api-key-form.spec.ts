import fc from 'fast-check';
import { randomId } from '@passwright/core';
import { apiKeySecret, apiKeyText, parseApiKey } from './api-key-form.js';

const base62 = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];
const base62Text = (length: number) =>
  fc.array(fc.constantFrom(...base62), { minLength: length, maxLength: length }).map((chars) => chars.join(''));
const keys = fc.record({ id: base62Text(22), secret: base62Text(43) });

describe('API key format', () => {
  it('an API key consists of the recognisable prefix, the id, the secret and a checksum', () => {
    const id = randomId();
    expect(apiKeyText(id, apiKeySecret())).toMatch(new RegExp(`^pw_live_${id}_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$`));
  });

  it('the format of API keys never changes, so that keys in use stay valid', () => {
    expect(apiKeyText('A'.repeat(22), 'b'.repeat(43))).toBe(`pw_live_${'A'.repeat(22)}_${'b'.repeat(43)}1dwQAe`);
  });

  it('parseApiKey parses a key into the id and the secret it was made from', () => {
    fc.assert(
      fc.property(keys, ({ id, secret }) => expect(parseApiKey(apiKeyText(id, secret))).toEqual({ id, secret })),
    );
  });

  it('parseApiKey detects any changed character in an API key or its checksum', () => {
    fc.assert(
      fc.property(keys, fc.nat(79), fc.constantFrom(...base62, '_', '-', ' ', 'é'), ({ id, secret }, at, character) => {
        const text = apiKeyText(id, secret);
        fc.pre(text[at] !== character);
        expect(parseApiKey(text.slice(0, at) + character + text.slice(at + 1))).toBeNull();
      }),
      { numRuns: 1000 },
    );
  });

  it('parseApiKey detects two adjacent characters that were swapped in an API key', () => {
    fc.assert(
      fc.property(keys, fc.integer({ min: 8, max: 72 }), ({ id, secret }, at) => {
        const text = apiKeyText(id, secret);
        fc.pre(text[at] !== text[at + 1]);
        expect(parseApiKey(text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2))).toBeNull();
      }),
    );
  });

  it('parseApiKey rejects any other text', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(parseApiKey(text)).toBeNull()));
    const key = apiKeyText(randomId(), apiKeySecret());
    for (const text of [key.slice(0, -1), `${key}0`, ` ${key}`, `${key}\n`]) expect(parseApiKey(text)).toBeNull();
  });
});
