import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { ConcurrencyLimiter } from '@passwright/core';
import { FairShareGuard } from '@passwright/http';
import { FakeGoogleWallet, type TestServiceAccount } from '@passwright/testing';
// eslint-disable-next-line @typescript-eslint/no-require-imports -- the object itself, to change it
import argon2 = require('@node-rs/argon2');
import { type Account, type ApiResponse, RunningService } from '../support/running-service.js';

/* A service whose identity provider, Google and webhook receiver respond only on command. */
const elsewhere = createServer((request, response) => void take(request, response));
let asked: string[] = [];
let requested: string[] = [];
let held: ServerResponse[] = [];
let isResponding = false;
let operator: TestServiceAccount;
let service: RunningService;
let tenant: Account;
let stranger: Account;

beforeAll(async () => {
  await once(elsewhere.listen(0, '127.0.0.1'), 'listening');
  const host = `127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  // Use a new service account, because another spec may have opened the circuit breaker of an older one.
  operator = await serviceAccount();
  service = await RunningService.start({
    OIDC_ISSUER: `http://${host}/oidc`,
    OIDC_CLIENT_ID: 'passwright',
    OIDC_CLIENT_SECRET: 'secret',
    OIDC_RETURN_URLS: 'https://app.example.com/signed-in',
    GOOGLE_ISSUER_ID: operator.issuerId,
    GOOGLE_SERVICE_ACCOUNT: operator.keyFile,
    GOOGLE_WALLET_URL: `http://${host}/google`,
    GOOGLE_TOKEN_URL: `http://${host}/token`,
    GOOGLE_CALLBACK_KEYS_URL: `http://${host}/keys`,
    WEBHOOK_HOSTS_ALLOWED: host,
  });
  service.app.getHttpServer().on('request', ({ url }: { url: string }) => requested.push(url));
  [tenant, stranger] = [await service.register(), await service.register()];
});
beforeEach(() => {
  [asked, requested, held, isResponding] = [[], [], [], false];
});
afterAll(async () => {
  respondToAll();
  await service.stop();
  elsewhere.close();
});

async function serviceAccount(): Promise<TestServiceAccount> {
  const google = await FakeGoogleWallet.start();
  const account = google.serviceAccount(`3388${randomInt(1e12, 1e13)}`);
  await google.stop();
  return account;
}

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  asked.push(`${request.url} ${clientOf(await text(request))}`);
  if (isResponding) reject(response);
  else held.push(response);
}

/** Returns the service account of a token request; an empty text for other requests. */
function clientOf(body: string): string {
  const [, claims] = (new URLSearchParams(body).get('assertion') ?? '').split('.');
  if (claims === undefined) return '';
  const { iss } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iss: string };
  return iss;
}

/** Rejects a request with an error that the service does not try again. */
function reject(response: ServerResponse): void {
  response.writeHead(400, { 'Content-Type': 'application/json' }).end('{"error":"invalid_grant"}');
}

function respondToAll(): void {
  isResponding = true;
  held.splice(0).forEach(reject);
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(5);
}

/**
 * Occupies slots of the concurrency limiter until only `count` are free.
 * @returns a function that releases them
 */
async function leavePlaces(count: number): Promise<() => void> {
  const { limiter } = service.app.get<{ limiter: Pick<ConcurrencyLimiter, 'enter'> & { free: number } }>(
    FairShareGuard,
  );
  const names = Array.from({ length: limiter.free - count }, (_, n) => `address:198.51.100.${n}`);
  const taken = await Promise.all(names.map((name) => limiter.enter(name)));
  return () => taken.forEach((giveBack) => giveBack());
}

/**
 * Sends requests to a node with exactly one free slot for each. While all of them wait, checks that another caller's
 * request succeeds.
 * @returns the responses to the waiting requests
 */
async function besideAStranger(
  requests: (() => Promise<ApiResponse>)[],
  isWaiting: () => boolean,
  end = respondToAll,
): Promise<ApiResponse[]> {
  const giveBack = await leavePlaces(requests.length);
  try {
    const waiting = requests.map((send) => send());
    await until(isWaiting);
    expect(await stranger.get('/v1/templates')).toMatchObject({ status: 200 });
    end();
    return await Promise.all(waiting);
  } finally {
    end();
    giveBack();
  }
}

const strangers = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];
const begun = (path: string) => requested.filter((url) => url === path).length;
const asks = (path: string) => () => asked.some((url) => url.startsWith(path));

it('another caller is served while sign-ins wait for the identity provider', async () => {
  const path = '/v1/auth/oidc/start';
  const starts = strangers.map((ip) => () => service.request('GET', path, { headers: { 'X-Forwarded-For': ip } }));
  // The other requests wait for the result of the first one.
  const responses = await besideAStranger(starts, () => asks('/oidc')() && begun(path) === starts.length);
  expect(responses.map(({ status }) => status)).toEqual([503, 503, 503]);
});

it('another caller is served while a webhook test waits for its receiver', async () => {
  const { address, port } = elsewhere.address() as AddressInfo;
  const { body } = await tenant.post('/v1/webhooks', { url: `http://${address}:${port}/hook`, types: null });
  const [reply] = await besideAStranger([() => tenant.post(`/v1/webhooks/${body.id}/test`)], asks('/hook'));
  expect(reply).toMatchObject({ status: 200, body: { delivered: false, statusCode: 400 } });
});

it("another caller is served while the verification of a callback waits for Google's keys", async () => {
  const [classId, objectId] = ['3388000000000000001.a', '3388000000000000001.b'];
  const message = { classId, objectId, eventType: 'save', nonce: 'n', expTimeMillis: Date.now() };
  const body = {
    protocolVersion: 'ECv2SigningOnly',
    signature: 'AAAA',
    intermediateSigningKey: { signedKey: '{}', signatures: ['AAAA'] },
    signedMessage: JSON.stringify(message),
  };
  const [reply] = await besideAStranger(
    [() => service.request('POST', '/v1/walletB/callbacks', { body })],
    asks('/keys'),
  );
  expect(reply).toMatchObject({ status: 503, body: { code: 'wallet_unavailable' } });
});

it('another caller is served while a save link waits for Google', async () => {
  const { body } = await tenant.issue('offer');
  const path = `/v1/pass/${tenant.id}/offer/${body.pass.id}/walletB`;
  const [reply] = await besideAStranger([() => service.request('GET', path)], asks(`/token ${operator.clientEmail}`));
  expect(reply).toMatchObject({ status: 503, body: { code: 'wallet_unavailable' } });
});

it('another caller is served while Google checks a service account', async () => {
  const { issuerId, keyFile, clientEmail } = await serviceAccount();
  const upload = { issuerId, serviceAccount: keyFile };
  const save = () => service.request('PUT', '/v1/account/walletB', { token: tenant.token, body: upload });
  const [reply] = await besideAStranger([save], asks(`/token ${clientEmail}`));
  expect(reply).toMatchObject({ status: 200, body: { check: { works: false } } });
});

it('another caller is served while logins wait for their password hashes', async () => {
  let open: () => void = () => undefined;
  const barrier = new Promise<boolean>((resolve) => (open = () => resolve(false)));
  const verify = jest.spyOn(argon2, 'verify').mockReturnValue(barrier);
  const body = { email: tenant.email, password: 'wrong' };
  const logins = strangers.map(
    (ip) => () => service.request('POST', '/v1/auth/login', { body, headers: { 'X-Forwarded-For': ip } }),
  );
  const isWaiting = () => verify.mock.calls.length > 0 && begun('/v1/auth/login') === logins.length;
  const responses = await besideAStranger(logins, isWaiting, open);
  expect(responses.map(({ status }) => status)).toEqual([401, 401, 401]);
  verify.mockRestore();
});
