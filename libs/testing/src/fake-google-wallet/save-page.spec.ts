import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CallbackForgery } from './callback-signing.js';
import { FakeGoogleWallet } from './fake-google-wallet.js';
import { GoogleClient, image, readCallback } from './google-client.fixtures.js';

const DEMO_ISSUER = '3388000000022000002';
const callbackOptions = { url: 'https://passes.example.com/callbacks' };
let fake: FakeGoogleWallet;
let client: GoogleClient;
let receiver: Server;
let received: string[] = [];
let responses: number[] = [];

beforeAll(async () => {
  receiver = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      if (incoming.method === 'POST') received.push(Buffer.concat(chunks).toString());
      response.writeHead(incoming.url === '/gone.png' ? 404 : (responses.shift() ?? 200)).end();
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  fake = await FakeGoogleWallet.start({
    issuers: [
      { id: '3388000000022000001', name: 'Bakery' },
      { id: DEMO_ISSUER, demoUsers: ['tester@example.com'], callbackUrl: 'https://passes.example.com/of-issuer' },
    ],
    requestsPerSecond: Infinity,
    route: () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
    callbackRetryMs: 1,
  });
  client = await new GoogleClient(fake).authorize();
});

afterEach(() => {
  fake.reset();
  fake.clear();
  received = [];
  responses = [];
});

afterAll(async () => {
  await fake.stop();
  receiver.close();
});

const skinny = (id: string, claims: object = {}) => client.link({ offerObjects: [{ id }] }, claims);
const rootKeys = async () => (await (await fetch(fake.urls.keys)).json()) as { keys: Record<string, string>[] };
const read = async (body = '') => readCallback(body, await rootKeys(), client.account.issuerId, Date.now());

it('a short link saves its passes, and the service gets a signed callback', async () => {
  const id = await client.offer('plain', { classMore: { callbackOptions } });
  const link = skinny(id);
  expect(link.length - fake.urls.save.length).toBeLessThan(800);
  expect(await fake.save(link, 'ada@example.com')).toEqual({
    status: 200,
    reason: null,
    message: 'Saved.',
    saved: [id],
    created: [],
  });
  expect(fake.holders(id)).toEqual(['ada@example.com']);
  expect((await client.call('GET', `offerObject/${id}`)).body).toMatchObject({ hasUsers: true });
  expect(received).toHaveLength(1);
  expect(await read(received[0])).toEqual({
    classId: client.id('c-plain'),
    objectId: id,
    eventType: 'save',
    expTimeMillis: expect.any(Number),
    count: 1,
    nonce: expect.any(String),
  });
  // The body has the escapes of Google's library, so a receiver must not serialise the JSON again.
  expect(JSON.parse(received[0] ?? '').intermediateSigningKey.signedKey).toContain('\\u003d');
  expect(fake.callbacks).toEqual([
    expect.objectContaining({ url: callbackOptions.url, body: received[0], status: 200 }),
  ]);
});

it('the service gets a callback when a holder removes a pass, and the object remains', async () => {
  const id = await client.offer('removed', { classMore: { callbackOptions } });
  await fake.save(skinny(id), 'ada@example.com');
  await fake.save(skinny(id), 'bob@example.com');
  await fake.save(skinny(id), 'bob@example.com');
  await fake.remove(id, 'ada@example.com');
  expect(fake.holders(id)).toEqual(['bob@example.com']);
  await fake.remove(id, 'bob@example.com');
  expect((await client.call('GET', `offerObject/${id}`)).body).toMatchObject({ hasUsers: false });
  expect(fake.callbacks.map(({ eventType }) => eventType)).toEqual(['save', 'save', 'del', 'del']);
  expect(await read(received[3])).toMatchObject({ objectId: id, eventType: 'del' });
  await expect(fake.remove(id, 'bob@example.com')).rejects.toThrow('does not have');
});

const later = () => Math.floor(Date.now() / 1000) + 1000;

it.each<[string, (id: string) => string]>([
  ['aud', (id) => skinny(id, { aud: 'goog' })],
  ['typ', (id) => skinny(id, { typ: 'JWT' })],
  ['iat', (id) => skinny(id, { iat: '1' })],
  ['iat', (id) => skinny(id, { iat: later() })],
  ['iss', (id) => skinny(id, { iss: 'somebody@example.com' })],
  ['origins', (id) => skinny(id, { origins: 'https://example.com' })],
  ['payload', () => client.link([])],
  ['payload', () => client.link({ offerObjects: [] })],
  ['payload', () => client.link({ hotelObjects: [{ id: client.id('x') }] })],
  ['payload', () => client.link({ offerObjects: {} })],
  ['signature', (id) => `${skinny(id).slice(0, -8)}AAAAAAAA`],
  ['JWT', (id) => skinny(id).replace(/\.[^.]*$/, '')],
  ['Invalid resource ID', () => skinny('1.x')],
])('400 for a link with a wrong %s', async (word, linkOf) => {
  const id = await client.offer('claims');
  const outcome = await fake.save(linkOf(id));
  expect(outcome).toMatchObject({ status: 400, saved: [] });
  expect(outcome.message).toContain(word);
  expect(fake.holders(id)).toEqual([]);
});

it('400 tooLong for a JWT of more than 1,800 characters', async () => {
  const id = await client.offer('long');
  const outcome = await fake.save(skinny(id, { origins: ['https://example.com/'.padEnd(1000, 'x')] }));
  expect(outcome).toMatchObject({ status: 400, reason: 'tooLong' });
});

it('400 for a link signed with a revoked key, and 403 for a link of another issuer', async () => {
  const id = await client.offer('mine');
  const other = new GoogleClient(fake, fake.serviceAccount(DEMO_ISSUER));
  expect(await fake.save(other.link({ offerObjects: [{ id }] }))).toMatchObject({ status: 403, saved: [] });
  const dismissed = new GoogleClient(fake, fake.serviceAccount(client.account.issuerId, 'dismissed'));
  const link = dismissed.link({ offerObjects: [{ id }] });
  expect(await fake.save(link, 'ada@example.com')).toMatchObject({ status: 200 });
  fake.revokeKey(dismissed.account);
  expect(await fake.save(link, 'bob@example.com')).toMatchObject({ status: 400 });
});

it('a link creates its missing resources, but never changes existing resources', async () => {
  const payload = (title: string) => ({
    offerClasses: [client.offerClass('new', { title })],
    offerObjects: [client.offerObject('o', 'new')],
  });
  expect(await fake.save(client.link(payload('First')))).toMatchObject({
    status: 200,
    created: [client.id('new'), client.id('o')],
  });
  expect(await fake.save(client.link(payload('Second')))).toMatchObject({ status: 200, created: [] });
  expect(fake.classes.get(client.id('new'))).toMatchObject({ title: 'First', reviewStatus: 'APPROVED' });
});

it('404 for an unknown reference, and nothing is created or saved', async () => {
  const id = await client.offer('there');
  const absent = { id: client.id('absent'), classId: client.id('c-there') };
  const payload = { genericClasses: [{ id: client.id('g') }], offerObjects: [{ id }, absent] };
  expect(await fake.save(client.link(payload))).toMatchObject({ status: 404, reason: 'resourceNotFound' });
  const orphan = { offerObjects: [client.offerObject('orphan', 'c-absent')] };
  expect(await fake.save(client.link(orphan))).toMatchObject({ status: 404, reason: 'classNotFound' });
  expect(fake.classes.size).toBe(1);
  expect(fake.holders(id)).toEqual([]);
});

it('400 for invalid content or an unusable image, and nothing is created', async () => {
  await client.offer('there');
  const objects = [{ state: 'OPEN' }, { heroImage: image('https://passes.example.com/gone.png') }];
  for (const more of objects) {
    const payload = { offerObjects: [client.offerObject('o', 'c-there', more)] };
    expect(await fake.save(client.link(payload))).toMatchObject({ status: 400, reason: 'invalid', created: [] });
  }
  expect(fake.objects.size).toBe(1);
});

it('only the demo users can save passes of an issuer in demo mode', async () => {
  const demo = await new GoogleClient(fake, fake.serviceAccount(DEMO_ISSUER)).authorize();
  const link = demo.link({ offerObjects: [{ id: await demo.offer('demo') }] });
  expect(await fake.save(link)).toMatchObject({ status: 403, reason: 'userNotAllowed' });
  expect(await fake.save(link, 'tester@example.com')).toMatchObject({ status: 200 });
  expect(fake.callbacks).toEqual([expect.objectContaining({ url: 'https://passes.example.com/of-issuer' })]);
});

it('a second user cannot save a single-user pass, even if the link contains its class', async () => {
  const classMore = { multipleDevicesAndHoldersAllowedStatus: 'ONE_USER_ALL_DEVICES' };
  const link = client.link({
    offerClasses: [client.offerClass('own', classMore)],
    offerObjects: [client.offerObject('o', 'own')],
  });
  expect(await fake.save(link, 'ada@example.com')).toMatchObject({ status: 200 });
  expect(await fake.save(link, 'ada@example.com')).toMatchObject({ status: 200 });
  expect(await fake.save(link, 'bob@example.com')).toMatchObject({ status: 403, reason: 'alreadyOwned' });
});

it('a browser that opens the link saves the pass', async () => {
  const id = await client.offer('browser', { classMore: { callbackOptions } });
  const page = await fetch(`${skinny(id)}?user=ada@example.com`);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('Added to Google Wallet');
  await fake.callbacksSettled();
  expect(fake.holders(id)).toEqual(['ada@example.com']);
  expect(received).toHaveLength(1);
  const failed = await fetch(client.link({ '<script>': [{ id }] }));
  expect(failed.status).toBe(400);
  expect(await failed.text()).not.toContain('<script>');
  expect(fake.requests.at(-1)).toMatchObject({ service: 'save', status: 400, reason: 'invalid' });
});

it('a callback is retried with the same nonce and a higher count, up to five attempts', async () => {
  const id = await client.offer('again', { classMore: { callbackOptions } });
  responses = [503, 500];
  await fake.save(skinny(id));
  expect(fake.callbacks.map(({ status, count }) => [status, count])).toEqual([
    [503, 1],
    [500, 2],
    [200, 3],
  ]);
  expect(new Set(fake.callbacks.map(({ nonce }) => nonce)).size).toBe(1);
  responses = Array<number>(9).fill(404);
  await fake.remove(id);
  expect(fake.callbacks.slice(3).map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
});

it('FakeGoogleWallet can deliver a callback twice, and can send its exact bytes again', async () => {
  const id = await client.offer('twice', { classMore: { callbackOptions } });
  fake.callbackDeliveries = 2;
  await fake.save(skinny(id));
  expect(received[1]).toBe(received[0]);
  await fake.repeatCallback(fake.callbacks[0]!);
  expect(received[2]).toBe(received[0]);
  expect(fake.callbacks).toHaveLength(3);
});

it.each<[CallbackForgery, string]>([
  ['unknown root', 'root'],
  ['expired intermediate', 'intermediate'],
  ['wrong issuer', 'signature'],
  ['changed message', 'signature'],
  ['expired message', 'expired'],
  ['wrong protocol version', 'protocol'],
])('a callback with the forgery "%s" is sent only once, and fails its verification', async (forgery, found) => {
  const id = await client.offer('forged', { classMore: { callbackOptions } });
  responses = [401];
  expect(await fake.sendCallback('save', id, { forgery })).toMatchObject({ forgery, status: 401 });
  expect(await read(received[0])).toBe(found);
  expect(received).toHaveLength(1);
});

it('the fake signs callbacks with new keys after rotateRootKeys', async () => {
  const id = await client.offer('rotated', { classMore: { callbackOptions } });
  const before = await rootKeys();
  fake.rotateRootKeys();
  await fake.sendCallback('save', id);
  expect(readCallback(received[0] ?? '', before, client.account.issuerId, Date.now())).toBe('root');
  expect(await read(received[0])).toMatchObject({ objectId: id });
});

it('the fake sends no callback for a class without an address', async () => {
  const id = await client.offer('silent');
  await fake.save(skinny(id));
  expect(fake.callbacks).toEqual([]);
  await expect(fake.sendCallback('save', id)).rejects.toThrow('callbackOptions.url');
});
