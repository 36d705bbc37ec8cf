import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type ClientHttp2Session } from 'node:http2';
import { FakeApns } from './fake-apns.js';
import { testCertificates } from './test-certificates.js';

const certificates = testCertificates();
const credential = certificates.pass({ passTypeIdentifier: 'pass.com.example.fake' });
const TOKEN = 'a1'.repeat(32);
let fake: FakeApns;
let clients: ClientHttp2Session[] = [];

beforeAll(async () => {
  fake = await FakeApns.start({ root: certificates.rootPem, now: () => new Date('2026-11-20T10:00:00.000Z') });
});

afterEach(() => {
  for (const session of clients) session.destroy();
  clients = [];
  fake.reset();
  fake.limitStreams(1000);
});

afterAll(() => fake.stop());

it('FakeApns accepts a valid push, and passes it to listeners and waiting callers', async () => {
  const heard: string[] = [];
  const stop = fake.onPush(({ token }) => heard.push(token));
  const next = fake.nextPush();
  expect(await post(client())).toEqual({ status: 200, id: expect.any(String), retryAfter: undefined, body: null });
  expect(await next).toMatchObject({
    token: TOKEN,
    topic: 'pass.com.example.fake',
    body: '{}',
    certificateUid: 'pass.com.example.fake',
    at: new Date('2026-11-20T10:00:00.000Z'),
    status: 200,
    reason: null,
  });
  stop();
  await post(client());
  expect(heard).toEqual([TOKEN]);
});

it('FakeApns.forget discards earlier pushes, so that nextPush returns only later pushes', async () => {
  await post(client());
  fake.forget();
  expect(fake.pushes).toEqual([]);
  const next = fake.nextPush();
  const later = 'b2'.repeat(32);
  await post(client(), { ':path': `/3/device/${later}` });
  expect((await next).token).toBe(later);
});

it('FakeApns uses a given server certificate', async () => {
  const own = await FakeApns.start({ root: certificates.rootPem, server: certificates.server() });
  const session = connect(own.url, { ca: certificates.rootPem });
  expect((await post(session)).status).toBe(403);
  session.destroy();
  await own.stop();
});

it.each([
  [404, 'BadPath', { ':path': '/2/device/ab' }, '{}'],
  [404, 'BadPath', { ':path': `/3/device/${TOKEN}/x` }, '{}'],
  [405, 'MethodNotAllowed', { ':method': 'PUT' }, '{}'],
  [400, 'MissingDeviceToken', { ':path': '/3/device/' }, '{}'],
  [400, 'BadDeviceToken', { ':path': '/3/device/no-token' }, '{}'],
  [400, 'TopicDisallowed', { 'apns-topic': 'pass.com.example.other' }, '{}'],
  [400, 'BadMessageId', { 'apns-id': '1' }, '{}'],
  [400, 'InvalidPushType', { 'apns-push-type': 'wallet' }, '{}'],
  [400, 'BadPriority', { 'apns-push-type': 'background', 'apns-priority': '10' }, '{}'],
  [400, 'BadExpirationDate', { 'apns-expiration': 'tomorrow' }, '{}'],
  [400, 'PayloadEmpty', {}, ''],
  [400, 'PayloadEmpty', {}, 'update'],
  [413, 'PayloadTooLarge', {}, JSON.stringify({ text: 'x'.repeat(4096) })],
])('FakeApns responds with %i %s', async (status, reason, headers, body) => {
  const reply = await post(client(), headers, body);
  expect(reply).toMatchObject({ status, body: { reason } });
  expect(await fake.nextRejection()).toMatchObject({ status, reason });
});

it('FakeApns takes the topic from the certificate if the request names none', async () => {
  expect(await post(client(), { 'apns-topic': undefined })).toMatchObject({ status: 200 });
});

it('403 MissingProviderToken without a client certificate, and 403 BadCertificate for an invalid one', async () => {
  expect(await post(client(null))).toMatchObject({ status: 403, body: { reason: 'MissingProviderToken' } });
  const others = [testCertificates().pass(), certificates.pass({ expiresAt: new Date(Date.now() - 1000) })];
  for (const other of others) {
    expect(await post(client(other))).toMatchObject({ status: 403, body: { reason: 'BadCertificate' } });
  }
});

it('FakeApns prefers the responses scripted for a token to those scripted for all tokens', async () => {
  fake.respond(TOKEN, { status: 503, reason: 'Shutdown', retryAfter: 7, times: 1 });
  fake.respond(TOKEN, { status: 410, reason: 'Unregistered', timestamp: 1234, times: 1 });
  fake.respond('*', { status: 429, reason: 'TooManyRequests' });
  const open = client();
  expect(await post(open)).toMatchObject({ status: 503, retryAfter: '7', body: { reason: 'Shutdown' } });
  expect(await post(open)).toMatchObject({ status: 410, body: { reason: 'Unregistered', timestamp: 1234 } });
  expect(await post(open)).toMatchObject({ status: 429 });
  fake.respond('*', { status: 500, reason: 'InternalServerError' });
  expect(await post(open)).toMatchObject({ status: 500 });
  fake.reset();
  expect(await post(open)).toMatchObject({ status: 200 });
  expect(fake.pushes.slice(-5).map(({ status }) => status)).toEqual([503, 410, 429, 500, 200]);
});

it('FakeApns counts the simultaneous streams of a connection', async () => {
  fake.hang('*');
  await Promise.all([hung(client()), hung(client())]);
  expect(fake.mostOpenStreams).toBe(1);
  const open = client();
  await Promise.all([hung(open), hung(open), hung(open)]);
  expect(fake.mostOpenStreams).toBe(3);
});

it('FakeApns detects a client that opens more streams than it allows', async () => {
  fake.limitStreams(2);
  const before = fake.pushes.length;
  const open = client();
  // Open the streams simultaneously, before the client receives the server's settings.
  const streams = Array.from({ length: 5 }, () => request(open));
  await Promise.all(streams.slice(2).map((stream) => new Promise((resolve) => stream.on('close', resolve))));
  await post(open);
  expect(fake.pushes).toHaveLength(before + 3);
  expect(fake.rejectedStreams).toBe(3);
});

it('FakeApns responds to the requests before GOAWAY, and then ends the connection', async () => {
  fake.delay(20);
  const open = client();
  const before = fake.pushes.length;
  const response = post(open);
  await until(() => fake.pushes.length > before);
  fake.goAway();
  expect(await response).toMatchObject({ status: 200 });
  await until(() => open.destroyed);
});

it('FakeApns can drop connections, and can reject new connections and certificates until a reset', async () => {
  const open = client();
  await post(open);
  fake.dropConnections();
  await until(() => open.destroyed && fake.openConnections === 0);
  fake.rejectConnections();
  expect(await failure(client())).toBe('ECONNRESET');
  fake.rejectCertificates();
  expect(await failure(client())).toMatch(/ALERT_BAD_CERTIFICATE$/);
  fake.reset();
  expect(await post(client())).toMatchObject({ status: 200 });
});

it('a frozen FakeApns does not respond, not even to a PING', async () => {
  const open = client();
  await post(open);
  const ping = () => new Promise<boolean>((resolve) => open.ping((error) => resolve(error === null)));
  expect(await ping()).toBe(true);
  fake.freeze();
  const pinged = ping();
  // Once a new connection gets a response, the frozen one has had enough time to respond.
  await post(client());
  open.destroy();
  expect(await pinged).toBe(false);
});

function client(who: typeof credential | null = credential): ClientHttp2Session {
  const session = connect(fake.url, {
    ca: fake.ca,
    ...(who && { cert: who.certificatePem + who.intermediatePem, key: who.privateKeyPem }),
  });
  session.on('error', () => undefined);
  clients.push(session);
  return session;
}

function request(session: ClientHttp2Session, headers: Record<string, string | undefined> = {}, body = '{}') {
  const stream = session.request({
    ':method': 'POST',
    ':path': `/3/device/${TOKEN}`,
    'apns-topic': 'pass.com.example.fake',
    ...headers,
  });
  stream.on('error', () => undefined);
  stream.end(body);
  return stream;
}

async function post(session: ClientHttp2Session, headers: Record<string, string | undefined> = {}, body = '{}') {
  const stream = request(session, headers, body);
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [response] = await once(stream, 'response');
  if (!stream.readableEnded) await once(stream, 'end');
  const text = Buffer.concat(chunks).toString();
  return {
    status: response[':status'],
    id: response['apns-id'],
    retryAfter: response['retry-after'],
    body: text ? JSON.parse(text) : null,
  };
}

/** Resolves when the server has read a request that it will never respond to. */
async function hung(session: ClientHttp2Session): Promise<void> {
  const token = randomBytes(32).toString('hex');
  request(session, { ':path': `/3/device/${token}` });
  await until(() => fake.pushes.some((push) => push.token === token));
}

async function failure(session: ClientHttp2Session): Promise<string | undefined> {
  const [error] = (await once(session, 'error')) as [NodeJS.ErrnoException];
  return error.code;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}
