import { FixedClock } from '@passwright/testing';
import { toCredential } from '../accounts/google-credential.js';
import { GoogleServer, serviceAccount } from '../google.fixtures.js';
import { googleLimits, type GoogleLimits } from '../google-limits.js';
import { AccessTokens, TokenRejected } from './access-tokens.js';

let server: GoogleServer;
const clock = new FixedClock();

beforeEach(async () => {
  server = await GoogleServer.start();
});
afterEach(() => server.close());

const tokens = (limits: Partial<GoogleLimits> = {}) => new AccessTokens(clock, { ...googleLimits, ...limits });
const credential = (issuerId = serviceAccount.issuerId) =>
  toCredential({ ...serviceAccount, issuerId }, server.urls.tokenUrl);

async function rejection(promise: Promise<unknown>): Promise<TokenRejected> {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(TokenRejected);
  return error as TokenRejected;
}

it('AccessTokens sends an assertion with the service account’s e-mail, valid for one hour, to the token address', async () => {
  expect(await tokens().of(credential())).toBe('token-1');
  expect(server.assertions).toEqual([
    {
      iss: serviceAccount.clientEmail,
      scope: 'https://www.googleapis.com/auth/wallet_object.issuer',
      aud: server.urls.tokenUrl,
      iat: expect.any(Number),
      exp: Number(server.assertions[0]?.['iat']) + 3600,
    },
  ]);
});

it('AccessTokens fetches one token per credential, however many callers wait for it', async () => {
  const all = tokens();
  const got = await Promise.all(Array.from({ length: 20 }, () => all.of(credential())));
  expect(new Set(got)).toEqual(new Set(['token-1']));
  expect(await all.of(credential('3388000000000000042'))).toBe('token-2');
  expect(server.assertions).toHaveLength(2);
});

it('AccessTokens reuses a token until a minute before it expires', async () => {
  const all = tokens();
  await all.of(credential());
  clock.advance(3600 - 61);
  expect(await all.of(credential())).toBe('token-1');
  clock.advance(1);
  expect(await all.of(credential())).toBe('token-2');
});

it('AccessTokens discards a rejected token, but not a newer one', async () => {
  const all = tokens();
  await all.of(credential());
  all.forget(credential(), 'token-1');
  expect(await all.of(credential())).toBe('token-2');
  all.forget(credential(), 'token-1');
  expect(await all.of(credential())).toBe('token-2');
});

it.each(['invalid_grant', 'invalid_client'])(
  'AccessTokens rejects the credential after the error %s, and does not request another token immediately',
  async (error) => {
    const all = tokens();
    server.tokenScript.push({ status: 400, body: { error, error_description: 'No.' } });
    const rejected = await rejection(all.of(credential()));
    expect([rejected.outcome, rejected.status]).toEqual(['credential_rejected', 400]);
    expect(rejected.message).toContain(`${error}: No.`);
    await rejection(all.of(credential()));
    expect(server.assertions).toHaveLength(1);
    clock.advance(30);
    expect(await all.of(credential())).toBe('token-1');
  },
);

it.each([
  [{ status: 500, body: { error: 'internal_failure' } } as const, 500],
  [{ status: 429, headers: { 'retry-after': '7' } } as const, 429],
  [{ status: 200, body: { access_token: 'a b' } } as const, 200],
  [{ status: 200, text: 'x'.repeat(2000) } as const, 200],
  ['drop' as const, null],
  ['hang' as const, null],
])('AccessTokens treats failures unrelated to the credential as temporary (%#)', async (result, status) => {
  server.tokenScript.push(result);
  const all = tokens({ requestTimeoutMs: result === 'hang' ? 1000 : 10_000, responseBytes: 1000 });
  const rejected = await rejection(all.of(credential()));
  expect([rejected.outcome, rejected.status]).toEqual(['retry', status]);
  expect(rejected.retryAfterSeconds).toBe(status === 429 ? 7 : null);
  expect(server.assertions).toHaveLength(1);
  expect(await all.of(credential())).toMatch(/^token-/);
});
