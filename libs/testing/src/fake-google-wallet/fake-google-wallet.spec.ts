import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { FakeGoogleWallet } from './fake-google-wallet.js';
import { assertion, GoogleClient, jwt } from './google-client.fixtures.js';

let fake: FakeGoogleWallet;
let client: GoogleClient;
let elapsedMs = 0;
let tokenTime = new Date();
let number = 0;

beforeAll(async () => {
  fake = await FakeGoogleWallet.start({
    elapsedMs: () => elapsedMs,
    tokenTime: () => tokenTime,
    now: () => new Date('2026-11-20T10:00:00.000Z'),
  });
});

beforeEach(async () => {
  elapsedMs += 10_000;
  tokenTime = new Date();
  client = await new GoogleClient(fake).authorize();
});

afterEach(() => fake.reset());
afterAll(() => fake.stop());

const genericClass = () => ({ id: client.id(`class-${++number}`) });

it('FakeGoogleWallet issues a token for a signed assertion, and accepts that token', async () => {
  const { status, body } = await client.grant(jwt(client.account, assertion(client.account)));
  expect({ status, body }).toEqual({
    status: 200,
    body: { access_token: expect.stringMatching(/^ya29\./), expires_in: 3599, token_type: 'Bearer' },
  });
  expect((await client.call('GET', `genericClass?issuerId=${client.account.issuerId}`)).status).toBe(200);
});

it('FakeGoogleWallet provides a key file in Google Cloud’s format with the account’s key', () => {
  const file = JSON.parse(client.account.keyFile);
  expect(file).toMatchObject({
    type: 'service_account',
    client_email: client.account.clientEmail,
    private_key: client.account.privateKeyPem,
    private_key_id: client.account.privateKeyId,
    token_uri: fake.urls.token,
  });
  expect(fake.serviceAccount()).toBe(client.account);
  expect(fake.serviceAccount('3388000000022099999').privateKeyPem).not.toBe(client.account.privateKeyPem);
});

const seconds = () => Math.floor(Date.now() / 1000);

it.each<[string, string, { claims?: object; header?: object }]>([
  ['invalid_grant', 'of an unknown account', { claims: { iss: 'somebody@example.com' } }],
  ['invalid_grant', 'for another audience', { claims: { aud: 'https://example.com/token' } }],
  ['invalid_grant', 'valid for more than an hour', { claims: { exp: seconds() + 7200 } }],
  ['invalid_grant', 'that has expired', { claims: { iat: seconds() - 3700, exp: seconds() - 100 } }],
  ['invalid_grant', 'from the future', { claims: { iat: seconds() + 1000, exp: seconds() + 2000 } }],
  ['invalid_grant', 'with times that are no numbers', { claims: { iat: 'now' } }],
  ['invalid_grant', 'without a signature algorithm', { header: { alg: 'none' } }],
  ['invalid_grant', 'of another key id', { header: { alg: 'RS256', kid: '0'.repeat(40) } }],
  ['invalid_scope', 'for another scope', { claims: { scope: 'https://www.googleapis.com/auth/cloud-platform' } }],
])('400 %s for an assertion %s', async (error, _, { claims, header }) => {
  const response = await client.grant(jwt(client.account, assertion(client.account, claims), header));
  expect(response).toMatchObject({ status: 400, body: { error } });
});

it('400 for an assertion signed by another key, for a text that is not a JWT, and for another grant type', async () => {
  const another = fake.serviceAccount('3388000000022099999');
  const forged = await client.grant(jwt(another, assertion(client.account)));
  expect(forged).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  expect(await client.grant('x.y')).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  const other = await client.grant(jwt(client.account, assertion(client.account)), 'password');
  expect(other).toMatchObject({ status: 400, body: { error: 'unsupported_grant_type' } });
});

it('400 invalid_grant after the account’s key was revoked', async () => {
  const account = fake.serviceAccount(client.account.issuerId, 'dismissed');
  const dismissed = new GoogleClient(fake, account);
  expect((await dismissed.grant(jwt(account, assertion(account)))).status).toBe(200);
  fake.revokeKey(account);
  expect((await dismissed.grant(jwt(account, assertion(account)))).body).toMatchObject({ error: 'invalid_grant' });
});

it('401 without a token, with an expired token, and with any token after `expireTokens`', async () => {
  const list = `genericClass?issuerId=${client.account.issuerId}`;
  expect(await new GoogleClient(fake).call('GET', list)).toMatchObject({ status: 401 });
  expect(await client.call('GET', list)).toMatchObject({ status: 200 });
  tokenTime = new Date(tokenTime.getTime() + 3_600_001);
  expect(await client.call('GET', list)).toMatchObject({ status: 401, body: { error: { status: 'UNAUTHENTICATED' } } });
  tokenTime = new Date();
  await client.authorize();
  fake.expireTokens();
  expect(await client.call('GET', list)).toMatchObject({ status: 401 });
});

it('403 permissionDenied for another issuer, and for the account’s own issuer after `denyIssuer`', async () => {
  fake.serviceAccount('3388000000022099999');
  const foreign = { id: '3388000000022099999.x' };
  expect(await client.call('POST', 'genericClass', foreign)).toMatchObject({ status: 403, reason: 'permissionDenied' });
  fake.denyIssuer(client.account.issuerId);
  expect(await client.call('POST', 'genericClass', genericClass())).toMatchObject({ reason: 'permissionDenied' });
  expect(await client.call('GET', `issuer/${client.account.issuerId}`)).toMatchObject({ reason: 'permissionDenied' });
  fake.allowIssuer(client.account.issuerId);
  expect(await client.call('POST', 'genericClass', genericClass())).toMatchObject({ status: 200 });
});

it('a scripted error applies to the given number of matching requests, which store nothing', async () => {
  fake.next({ status: 503, reason: 'backendError', retryAfter: 3, times: 2 });
  fake.next({ status: 404, reason: 'classNotFound', matches: ({ path }) => path.includes('offer') });
  const body = genericClass();
  for (let times = 0; times < 2; times++) {
    const response = await client.call('POST', 'genericClass', body);
    expect(response).toMatchObject({ status: 503, reason: 'backendError', retryAfter: '3' });
  }
  expect(fake.classes.has(body.id)).toBe(false);
  expect(await client.call('POST', 'genericClass', body)).toMatchObject({ status: 200 });
  expect(await client.call('GET', `offerClass/${client.id('x')}`)).toMatchObject({ reason: 'classNotFound' });
  expect(await client.call('GET', `offerClass/${client.id('x')}`)).toMatchObject({ reason: 'resourceNotFound' });
});

it('FakeGoogleWallet can reject one token request, or all token requests, with a scripted error', async () => {
  fake.tokenFailures = 1;
  const signed = jwt(client.account, assertion(client.account));
  expect(await client.grant(signed)).toMatchObject({ status: 503 });
  expect(await client.grant(signed)).toMatchObject({ status: 200 });
  fake.next({ status: 400, reason: 'invalid_grant', times: Infinity, matches: ({ service }) => service === 'token' });
  expect(await client.grant(signed)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  fake.reset();
  expect(await client.grant(signed)).toMatchObject({ status: 200 });
});

it('FakeGoogleWallet can leave a request without a response', async () => {
  fake.next({ status: null });
  const body = genericClass();
  const aborter = new AbortController();
  const url = `${fake.urls.api}/walletobjects/v1/genericClass`;
  const withoutResponse = fetch(url, { method: 'POST', body: JSON.stringify(body), signal: aborter.signal });
  const request = await fake.nextRequest(({ body: sent }) => (sent as { id?: string } | null)?.id === body.id);
  expect(request).toMatchObject({ method: 'POST', status: null });
  aborter.abort();
  await expect(withoutResponse).rejects.toThrow();
  expect(fake.classes.has(body.id)).toBe(false);
});

it('FakeGoogleWallet can drop a connection after it has stored a resource, and a retry then gets 409', async () => {
  fake.dropAfterStoring();
  const body = genericClass();
  await expect(client.call('POST', 'genericClass', body)).rejects.toThrow('fetch failed');
  expect(fake.classes.has(body.id)).toBe(true);
  expect(fake.requests.at(-1)).toMatchObject({ status: null, body });
  expect(await client.call('POST', 'genericClass', body)).toMatchObject({ status: 409, reason: 'existingResource' });
});

it('FakeGoogleWallet can delay a response after it has stored the change', async () => {
  fake.latencyMs = 100;
  const body = genericClass();
  const before = performance.now();
  const response = client.call('POST', 'genericClass', body);
  let responded = false;
  void response.then(() => (responded = true));
  while (!fake.classes.has(body.id)) await new Promise((resolve) => setImmediate(resolve));
  expect(responded).toBe(false);
  expect(await response).toMatchObject({ status: 200 });
  expect(performance.now() - before).toBeGreaterThan(95);
});

it.each([429, 403] as const)(
  '%i for the 21st request within a second, but not for a request after that second',
  async (status) => {
    fake.clear();
    fake.rateLimitStatus = status;
    const ask = () => client.call('GET', `genericClass?issuerId=${client.account.issuerId}`);
    for (let requests = 0; requests < 20; requests++) {
      expect(await ask()).toMatchObject({ status: 200 });
      elapsedMs += 40;
    }
    expect(await ask()).toMatchObject({ status, reason: 'rateLimitExceeded' });
    expect(fake.maxRequestsInASecond()).toBe(21);
    // The quota allows another request one second after the first.
    elapsedMs += 200;
    expect(await ask()).toMatchObject({ status: 200 });
    expect(await ask()).toMatchObject({ status });
  },
);

it('the quota ignores token requests, and FakeGoogleWallet records the maximum number of API requests per second', async () => {
  fake.clear();
  for (const pause of [0, 400, 400, 400, 5000]) {
    elapsedMs += pause;
    await client.authorize();
    await client.call('GET', `issuer/${client.account.issuerId}`);
  }
  expect(fake.maxRequestsInASecond()).toBe(3);
});

it('FakeGoogleWallet records every request with its response', async () => {
  const body = genericClass();
  await client.call('POST', 'genericClass', body);
  await client.call('POST', 'genericClass', body);
  const at = new Date('2026-11-20T10:00:00.000Z');
  const common = { service: 'api', method: 'POST', path: '/walletobjects/v1/genericClass', body, at };
  expect(fake.requests.slice(-2)).toEqual([
    { ...common, status: 200, reason: null },
    { ...common, status: 409, reason: 'existingResource' },
  ]);
});

it.each([
  ['walletobjects.googleapis.com', '/walletobjects/v1/genericClass', 401],
  ['oauth2.googleapis.com', '/token', 405],
  ['pay.google.com', '/gp/v/save/x', 400],
  ['pay.google.com', '/gp/m/issuer/keys', 200],
  ['pay.google.com', '/walletobjects/v1/genericClass', 404],
  ['walletobjects.googleapis.com', '/token', 404],
])('the host %s responds to the path %s with %i', async (host, path, status) => {
  const sent = httpRequest(new URL(path, fake.urls.api), { headers: { host }, agent: false }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  expect(response.statusCode).toBe(status);
});

it("FakeGoogleWallet serves https with a certificate for Google's names", async () => {
  const secure = await FakeGoogleWallet.start({ tls: true });
  const { hostname, port, pathname } = new URL(secure.urls.keys);
  const options = { hostname, port, path: pathname, ca: secure.ca ?? '', agent: false } as const;
  const sent = httpsRequest({ ...options, servername: 'pay.google.com', headers: { host: 'pay.google.com' } }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  expect(response.statusCode).toBe(200);
  await secure.stop();
});

it('413 for a body of more than 1 MiB, and 400 for a body that is not a JSON object', async () => {
  const large = { id: client.id('large'), text: 'x'.repeat(1 << 20) };
  expect(await client.call('POST', 'genericClass', large)).toMatchObject({ status: 413 });
  expect(await client.call('POST', 'genericClass', [])).toMatchObject({ status: 400, reason: 'invalid' });
  expect(await client.call('GET', 'genericClass/%zz')).toMatchObject({ status: 400, reason: 'invalid' });
});
