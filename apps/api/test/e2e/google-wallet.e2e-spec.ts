import { verify } from 'jsonwebtoken';
import { createPublicKey } from 'node:crypto';
import { eventually, GoogleWalletWorld, objectIdOf } from '../support/google-wallet-world.js';
import { passBody, templateTypes, type Account, type ApiResponse } from '../support/running-service.js';

let world: GoogleWalletWorld;
let account: Account;

beforeAll(async () => {
  world = await GoogleWalletWorld.start();
});
afterAll(() => world.stop());
beforeEach(async () => {
  world.google.reset();
  account = await world.service.register();
});

/** Repeats a request that gets 503, because Google may respond too late on a busy machine. */
function responded(path: string): Promise<ApiResponse['body']> {
  return eventually(`the response of ${path}`, async () => {
    const { status, body } = await world.service.request('GET', path);
    if (status !== 200 && status !== 503) throw new Error(`${path} returned ${status}: ${JSON.stringify(body)}`);
    return status === 200 ? body : null;
  });
}

async function linkOf(path: string): Promise<string> {
  return (await responded(`/v1/pass/${account.id}/${path}/walletB`)).url as string;
}

describe.each(templateTypes)('a pass of type %s', (type) => {
  it('a holder adds a pass through its link, and sees every later change', async () => {
    await world.template(account, type);
    const metadata = { email: 'ada@example.com', note: 'hush' };
    await account.post(`/v1/pass/${type}/ada`, { ...passBody(type), code: 'FIRST', metadata });
    const link = await linkOf(`${type}/ada`);
    expect((await world.google.save(link)).status).toBe(200);
    expect(world.google.holders(objectIdOf(link))).toHaveLength(1);
    const progress = await account.get(`/v1/templates/${type}/walletB`);
    expect(progress.body).toMatchObject({
      development: false,
      class: { state: 'current' },
      objects: { total: 1, waiting: 0, installed: 1 },
    });

    await account.patch(`/v1/pass/${type}/ada`, { code: 'SECOND' });
    await eventually('the new code', () => JSON.stringify(world.objectOf(link)).includes('SECOND'));
    await account.post(`/v1/pass/${type}/ada/void`);
    await eventually('void', () => world.objectOf(link)?.state === 'INACTIVE');
    await account.post(`/v1/pass/${type}/ada/unvoid`);
    await eventually('valid again', () => world.objectOf(link)?.state === 'ACTIVE');
    await account.post(`/v1/templates/${type}/archive`);
    await eventually('archived', () => world.objectOf(link)?.state === 'INACTIVE');
    await account.post(`/v1/templates/${type}/unarchive`);
    await eventually('un-archived', () => world.objectOf(link)?.state === 'ACTIVE');
    await account.delete(`/v1/pass/${type}/ada`);
    await eventually('blank', () => !JSON.stringify(world.objectOf(link)).includes('SECOND'));
    expect(world.objectOf(link)?.state).toBe('INACTIVE');
    expect(JSON.stringify([...world.google.objects.values()])).not.toMatch(/hush|ada@example\.com/);
  });
});

it('a holder gets each announced message once, and at most three notifications in 24 hours', async () => {
  await world.template(account, 'membership');
  const points = (value: string) => ({ fields: [{ key: 'points', label: 'Points', value }] });
  await account.post('/v1/pass/membership/ada', { ...passBody('membership'), ...points('0') });
  const link = await linkOf('membership/ada');
  await world.google.save(link);
  const received = () => world.google.addedMessages.filter(({ resourceId }) => resourceId === objectIdOf(link));
  const announced: { message: string; shown: string; reason: string | null }[] = [];
  for (const value of ['10', '20', '30', '40']) {
    const { body } = await account.patch('/v1/pass/membership/ada', points(value));
    announced.push(...body.notifications.walletB);
    await eventually(`the message about ${value}`, () => received().length === announced.length);
  }
  expect(received().map(({ body, notified }) => [body, notified])).toEqual(
    announced.map(({ message, shown }) => [message, shown === 'notification']),
  );
  expect(announced.map(({ message, shown, reason }) => [message, shown, reason])).toEqual([
    ['Points: 10', 'notification', null],
    ['Points: 20', 'notification', null],
    ['Points: 30', 'notification', null],
    ['Points: 40', 'pass', 'daily_limit'],
  ]);
  expect(world.objectOf(link)?.messages).toMatchObject([{ body: 'Points: 40' }]);
});

it('a holder gets a message once, even if one write is interrupted and the response to the next one is lost', async () => {
  await world.template(account, 'membership');
  const points = (value: string) => ({ fields: [{ key: 'points', label: 'Points', value }] });
  await account.post('/v1/pass/membership/ada', { ...passBody('membership'), ...points('0') });
  const link = await linkOf('membership/ada');
  const { google } = world;
  await google.save(link);
  const objectId = objectIdOf(link);
  const isAboutObject = ({ path }: { path: string }) => path.includes(objectId);
  const received = () => google.addedMessages.filter(({ resourceId }) => resourceId === objectId);
  google.next({ status: 503, matches: (request) => isAboutObject(request) && request.path.endsWith('/addMessage') });
  const patched = () => google.nextRequest((request) => request.method === 'PATCH' && isAboutObject(request));
  await account.patch('/v1/pass/membership/ada', points('10'));
  await patched();
  expect(received()).toEqual([]);
  await patched();
  google.dropAfterStoring();
  await patched();
  await eventually('the end of the writes', async () => {
    return (await account.get('/v1/pass/membership/ada/delivery')).body.walletB.state === 'current';
  });
  expect(received().map(({ body, notified }) => [body, notified])).toEqual([['Points: 10', true]]);
  expect(world.objectOf(link)?.messages).toMatchObject([{ body: 'Points: 10' }]);
});

it('the object at Google names the group of its pass, and links only to objects that exist at Google', async () => {
  for (const type of ['event', 'offer'] as const) await world.template(account, type);
  const group = (order: number) => ({ group: { id: 'order-1', order } });
  await account.post('/v1/pass/offer/car', group(2));
  const linkedPasses = [{ templateId: 'offer', passId: 'car' }];
  await account.post('/v1/pass/event/ada', { ...group(1), linkedPasses });
  const link = await linkOf('event/ada');
  await world.google.save(link);
  await eventually('the linked pass', () => world.objectOf(link)?.linkedObjectIds !== undefined);
  const ticket = world.objectOf(link) as { linkedObjectIds: string[]; groupingInfo: object };
  const car = world.google.objects.get(ticket.linkedObjectIds[0]!);
  expect(ticket.linkedObjectIds).toHaveLength(1);
  expect(car).toMatchObject({ state: 'ACTIVE', groupingInfo: { ...ticket.groupingInfo, sortIndex: 2 } });
  expect(ticket.groupingInfo).toEqual({ groupingId: expect.stringMatching(/^[\w-]{22}$/), sortIndex: 1 });
  await account.patch('/v1/pass/event/ada', { group: null, linkedPasses: null });
  await eventually('no group', () => world.objectOf(link)?.groupingInfo === undefined);
  // Google does not remove links from an object.
  expect(world.objectOf(link)).toMatchObject({ linkedObjectIds: ticket.linkedObjectIds });
});

it('a save link is signed with RS256, has at most 1,800 characters, and contains only ids', async () => {
  await world.template(account, 'offer');
  const ids = Array.from({ length: 10 }, (_, n) => `pass-${n}`);
  for (const id of ids) await account.post(`/v1/pass/offer/${id}`, {});
  const query = ids.map((id) => `pass=offer:${id}`).join('&');
  const bundle = await responded(`/v1/pass/${account.id}/bundle/walletB?${query}`);
  expect(bundle).toMatchObject({ development: false, notes: [] });
  const key = createPublicKey(world.serviceAccount.privateKeyPem);
  for (const url of [await linkOf('offer/pass-0'), bundle.url as string]) {
    const jwt = url.slice(world.google.urls.save.length + 1);
    expect(jwt.length).toBeLessThanOrEqual(1800);
    const claims = verify(jwt, key, { algorithms: ['RS256'], audience: 'google' });
    expect(claims).toMatchObject({ iss: world.serviceAccount.clientEmail, typ: 'savetowallet' });
    expect(JSON.stringify(claims)).not.toMatch(/pass-\d|acc_|Summer/);
  }
  expect((await world.google.save(bundle.url)).status).toBe(200);
});

it('Google can fetch every image whose address the service sends to it', async () => {
  await world.template(account, 'membership');
  await account.post('/v1/pass/membership/ada', passBody('membership'));
  const before = world.google.imageFetches.length;
  await linkOf('membership/ada');
  const fetched = world.google.imageFetches.slice(before);
  expect(fetched.length).toBeGreaterThanOrEqual(3);
  expect(fetched.map(({ status }) => status)).toEqual(fetched.map(() => 200));
});

it('a removal is counted once, and a forged callback is rejected', async () => {
  await world.template(account, 'offer');
  await account.post('/v1/pass/offer/ada', {});
  const link = await linkOf('offer/ada');
  world.google.callbackDeliveries = 2;
  await world.google.save(link);
  const delivery = async () => (await account.get('/v1/pass/offer/ada/delivery')).body.walletB;
  expect(await delivery()).toMatchObject({ state: 'current', saves: 1, removals: 0 });
  await world.google.remove(objectIdOf(link));
  expect(await delivery()).toMatchObject({ saves: 1, removals: 1 });
  for (const forgery of ['unknown root', 'changed message', 'expired message', 'wrong issuer'] as const) {
    const { status } = await world.google.sendCallback('save', objectIdOf(link), { forgery });
    expect([forgery, status]).toEqual([forgery, 401]);
  }
  expect(await delivery()).toMatchObject({ saves: 1, removals: 1 });
});

it('a save link redirects a browser to Google, and the page of the pass contains the save link', async () => {
  await world.template(account, 'offer');
  await account.post('/v1/pass/offer/ada', {});
  const path = `/v1/pass/${account.id}/offer/ada/walletB`;
  const { status, headers } = await world.service.request('GET', path, { headers: { Accept: 'text/html' } });
  expect([status, headers.get('location')]).toEqual([302, expect.stringContaining(world.google.urls.save)]);
  const page = await world.service.request('GET', `/p/${account.id}/offer/ada`);
  expect(page.bytes.toString()).toContain(`https://passes.example.com${path}`);
});

it('a service account without access to the Google issuer stops only Google Wallet; the API gives the reason', async () => {
  const { issuerId } = world.serviceAccount;
  await world.template(account, 'offer');
  await account.post('/v1/pass/offer/ada', {});
  world.google.denyIssuer(issuerId);
  const denied = await world.service.request('GET', `/v1/pass/${account.id}/offer/ada/walletB`);
  expect(denied).toMatchObject({ status: 503, body: { code: 'wallet_unavailable' } });
  expect((await account.post('/v1/pass/offer/bob', {})).status).toBe(200);
  const progress = await account.get('/v1/templates/offer/walletB');
  expect(progress.body.halt.reason).toMatch(/permissionDenied/);
  const mine = await account.get('/v1/account/walletB');
  expect(mine.body).toMatchObject({ source: 'operator', state: 'halted' });
  world.google.allowIssuer(issuerId);
});
