import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { Unauthorized, ValidationFailed, WalletUnavailable } from '@passwright/core';
import * as fc from 'fast-check';
import { GoogleServer, ISSUER, walletFor } from '../google.fixtures.js';
import { signedBytes } from './signed-message.js';

const pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const root = pair();
const intermediate = pair();
const spki = (key: KeyObject) => key.export({ type: 'spki', format: 'der' }).toString('base64');
const signed = (key: KeyObject, ...parts: string[]) => sign('sha256', signedBytes(parts), key).toString('base64');
const now = Date.parse('2026-11-20T10:00:00.000Z');
const HOUR = 3_600_000;
const PROTOCOL = 'ECv2SigningOnly';

const message = {
  classId: `${ISSUER}.template_1`,
  objectId: `${ISSUER}.pass_1`,
  eventType: 'save',
  expTimeMillis: now + HOUR,
  count: 1,
  nonce: 'c1a5e5a4-0000-4000-8000-000000000001',
};

interface Changes {
  readonly message?: Record<string, unknown>;
  readonly keyExpiration?: string;
  readonly rootKey?: KeyObject;
  readonly recipient?: string;
}

/** Builds a callback as Google does, with `=` escaped in the signed text of the key. */
function callback({ message: changed, keyExpiration, rootKey, recipient }: Changes = {}) {
  const signedKey = JSON.stringify({
    keyValue: spki(intermediate.publicKey),
    keyExpiration: keyExpiration ?? String(now + HOUR),
  }).replaceAll('=', '\\u003d');
  const signedMessage = JSON.stringify({ ...message, ...changed });
  return {
    signature: signed(intermediate.privateKey, 'GooglePayPasses', recipient ?? ISSUER, PROTOCOL, signedMessage),
    intermediateSigningKey: {
      signedKey,
      signatures: [signed(rootKey ?? root.privateKey, 'GooglePayPasses', PROTOCOL, signedKey)],
    },
    protocolVersion: PROTOCOL,
    signedMessage,
  };
}

const bytes = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const keyList = (keyExpiration?: string, key = root.publicKey) => ({
  status: 200,
  body: {
    keys: [
      { keyValue: 'AAAA', protocolVersion: 'ECv1' },
      { keyValue: 'AAAA', protocolVersion: PROTOCOL },
      { keyValue: spki(key), protocolVersion: PROTOCOL, keyExpiration },
    ],
  },
});

let server: GoogleServer;
beforeEach(async () => {
  server = await GoogleServer.start();
});
afterEach(() => server.close());

describe('readCallback', () => {
  it('readCallback verifies the signature over the original text and reads the callback', async () => {
    server.keyScript.push(keyList());
    expect(callback().intermediateSigningKey.signedKey).toContain('\\u003d');
    expect(await walletFor(server).wallet.readCallback(bytes(callback()))).toEqual({
      event: 'save',
      classId: message.classId,
      objectId: message.objectId,
      nonce: message.nonce,
      expiresAt: new Date(now + HOUR),
    });
  });

  it('readCallback accepts a key with several signatures if one is valid', async () => {
    server.keyScript.push(keyList());
    const one = callback({ message: { eventType: 'del' } });
    one.intermediateSigningKey.signatures.unshift(signed(pair().privateKey, 'x'), 'AAAA');
    expect(await walletFor(server).wallet.readCallback(bytes(one))).toMatchObject({ event: 'del' });
  });

  it.each([
    ['a message to another issuer', callback({ recipient: '3388000000099999999' })],
    ['a changed message', { ...callback(), signedMessage: JSON.stringify({ ...message, nonce: 'other' }) }],
    ['an intermediate key that has expired', callback({ keyExpiration: String(now) })],
    ['a message that has expired', callback({ message: { expTimeMillis: now } })],
    ['a key that no root key signed', callback({ rootKey: pair().privateKey })],
    ['a signature of the root key', { ...callback(), signature: callback().intermediateSigningKey.signatures[0] }],
    ['an invalid signature', { ...callback(), signature: 'AAAA' }],
    [
      'a key written differently than it was signed',
      {
        ...callback(),
        intermediateSigningKey: {
          ...callback().intermediateSigningKey,
          signedKey: callback().intermediateSigningKey.signedKey.replaceAll('\\u003d', '='),
        },
      },
    ],
  ])('401 unauthorized for %s', async (_, body) => {
    server.keyScript.push(keyList());
    await expect(walletFor(server).wallet.readCallback(bytes(body))).rejects.toThrow(Unauthorized);
  });

  it.each([
    ['a body that is not JSON', 'x', /body must be a JSON object/],
    ['a body that is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), /body must be a JSON object/],
    ['another protocol', { ...callback(), protocolVersion: 'ECv2' }, /^protocolVersion must be ECv2SigningOnly/],
    ['no key', { ...callback(), intermediateSigningKey: null }, /signedKey must be text.*signatures must be/],
    ['too many signatures', withSignatures(4), /signatures must be 1 to 3 texts/],
    ['a foreign object', callback({ message: { objectId: '3388000000099999999.x' } }), /objectId must be the same/],
    ['no ids', callback({ message: { classId: 5, objectId: 'x' } }), /classId must be.*objectId must be/],
    ['another event', callback({ message: { eventType: 'view' } }), /eventType must be save or del/],
    ['no nonce', callback({ message: { nonce: '' } }), /nonce must be/],
    ['no time', callback({ message: { expTimeMillis: 'soon' } }), /expTimeMillis must be/],
  ])('400 validation_failed for %s, without a request to Google', async (_, body, words) => {
    const error: unknown = await walletFor(server)
      .wallet.readCallback(Buffer.isBuffer(body) ? body : bytes(body))
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ValidationFailed);
    expect((error as Error).message).toMatch(words);
    expect(server.keyFetches).toBe(0);
  });

  it('readCallback rejects every changed body with 400 or 401', async () => {
    server.keyScript.push(keyList());
    const { wallet } = walletFor(server);
    const part = fc.constantFrom(...Object.keys(callback()));
    await fc.assert(
      fc.asyncProperty(part, fc.jsonValue(), async (name, value) => {
        const error: unknown = await wallet
          .readCallback(bytes({ ...callback(), [name]: value }))
          .catch((reason: unknown) => reason);
        expect(error instanceof ValidationFailed || error instanceof Unauthorized).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});

function withSignatures(count: number) {
  const one = callback();
  const signatures = Array.from({ length: count }, () => 'AAAA');
  return { ...one, intermediateSigningKey: { ...one.intermediateSigningKey, signatures } };
}

describe("Google's keys", () => {
  it('the service fetches Google’s keys once for many callbacks, and again after an hour', async () => {
    server.keyScript.push(keyList(), keyList());
    const { wallet, clock } = walletFor(server);
    const read = () =>
      wallet.readCallback(
        bytes(callback({ message: { expTimeMillis: now + 9 * HOUR }, keyExpiration: String(now + 9 * HOUR) })),
      );
    await Promise.all([read(), read(), read()]);
    clock.advance(3599);
    await read();
    expect(server.keyFetches).toBe(1);
    clock.advance(1);
    await read();
    expect(server.keyFetches).toBe(2);
  });

  it('the service fetches Google’s keys again in the last hour of a key', async () => {
    server.keyScript.push(keyList(String(now + HOUR + 60_000)));
    const { wallet, clock } = walletFor(server);
    const read = () =>
      wallet.readCallback(
        bytes(callback({ message: { expTimeMillis: now + 9 * HOUR }, keyExpiration: String(now + 9 * HOUR) })),
      );
    await read();
    clock.advance(60);
    await read();
    expect(server.keyFetches).toBe(2);
    clock.advance(3600);
    await expect(read()).rejects.toThrow(WalletUnavailable);
  });

  it('503 wallet_unavailable while Google’s keys are unavailable; the service asks for them at most once a minute', async () => {
    server.keyScript.push('drop', { status: 200, body: { keys: [] } }, keyList());
    const { wallet, clock } = walletFor(server);
    const read = () => wallet.readCallback(bytes(callback()));
    await expect(read()).rejects.toThrow(WalletUnavailable);
    await expect(read()).rejects.toThrow(WalletUnavailable);
    expect(server.keyFetches).toBe(1);
    clock.advance(60);
    await expect(read()).rejects.toThrow(WalletUnavailable);
    clock.advance(60);
    await expect(read()).resolves.toMatchObject({ event: 'save' });
    expect(server.keyFetches).toBe(3);
  });

  it('the service fetches keys again if none matches, but at most once a minute', async () => {
    const next = pair();
    server.keyScript.push(keyList(), keyList(undefined, next.publicKey));
    const { wallet, clock } = walletFor(server);
    const read = () => wallet.readCallback(bytes(callback({ rootKey: next.privateKey })));
    await expect(read()).rejects.toThrow(Unauthorized);
    await expect(read()).rejects.toThrow(Unauthorized);
    expect(server.keyFetches).toBe(1);
    clock.advance(60);
    await expect(read()).resolves.toMatchObject({ event: 'save' });
    expect(server.keyFetches).toBe(2);
  });
});
