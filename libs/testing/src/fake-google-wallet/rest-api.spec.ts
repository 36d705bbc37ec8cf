import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeGoogleWallet } from './fake-google-wallet.js';
import { GoogleClient, image, text } from './google-client.fixtures.js';

let fake: FakeGoogleWallet;
let client: GoogleClient;
let pictures: Server;
let picturesAsked: { url: string; headers: IncomingHttpHeaders }[] = [];
let now = new Date('2026-11-20T10:00:00.000Z');

beforeAll(async () => {
  const png = { 'content-type': 'image/png' };
  pictures = createServer(({ url = '', headers }, response) => {
    picturesAsked.push({ url, headers });
    if (url === '/moved.png') response.writeHead(302, { ...png, location: '/logo.png' }).end('PNG');
    else if (url === '/page.png') response.writeHead(200, { 'content-type': 'text/html' }).end('<p>');
    else if (url.startsWith('/gone')) response.writeHead(404, png).end('PNG');
    else response.writeHead(200, png).end('PNG');
  }).listen(0, '127.0.0.1');
  await once(pictures, 'listening');
  const route = () => `http://127.0.0.1:${(pictures.address() as AddressInfo).port}`;
  fake = await FakeGoogleWallet.start({ requestsPerSecond: Infinity, now: () => now, route });
  client = await new GoogleClient(fake).authorize();
});

afterEach(() => {
  fake.reset();
  fake.clear();
  picturesAsked = [];
});

afterAll(async () => {
  await fake.stop();
  pictures.close();
});

const logo = 'https://passes.example.com/logo.png';
const generic = (suffix: string, more: object = {}) => ({
  id: client.id(suffix),
  classId: client.id('club'),
  cardTitle: text('Club'),
  header: text('Ada'),
  ...more,
});

it.each([
  ['offer', () => client.offerClass('c'), () => client.offerObject('o', 'c')],
  [
    'eventTicket',
    () => ({ id: client.id('c'), issuerName: 'Hall', eventName: text('Concert'), reviewStatus: 'UNDER_REVIEW' }),
    () => client.offerObject('o', 'c'),
  ],
  ['generic', () => ({ id: client.id('club') }), () => generic('o')],
  [
    'loyalty',
    () => ({
      id: client.id('c'),
      issuerName: 'Club',
      programName: 'Club',
      programLogo: image(logo),
      reviewStatus: 'UNDER_REVIEW',
    }),
    () => client.offerObject('o', 'c'),
  ],
])('the API stores and returns a class and an object of the vertical %s', async (vertical, aClass, anObject) => {
  const object = anObject();
  expect(await client.call('POST', `${vertical}Class`, aClass())).toMatchObject({ status: 200 });
  expect(await client.call('POST', `${vertical}Object`, object)).toMatchObject({ status: 200 });
  expect(fake.classes.get(aClass().id)).toMatchObject({ id: aClass().id });
  expect(fake.objects.get(object.id)).toEqual(object);
  const { body } = await client.call('GET', `${vertical}Object/${object.id}`);
  expect(body).toMatchObject({ id: object.id, hasUsers: false, state: 'active' });
  expect(body.classReference?.id).toBe(vertical === 'generic' ? undefined : object.classId);
});

it('the API stores enum values as sent, and returns them in the old spelling, with kinds and defaults', async () => {
  const barcode = { type: 'QR_CODE', value: '1', alternateText: '1' };
  const localizedTitle = text('Off');
  const id = await client.offer('kinds', { classMore: { localizedTitle }, objectMore: { barcode } });
  expect((await client.call('GET', `offerClass/${client.id('c-kinds')}`)).body).toMatchObject({
    kind: 'walletobjects#offerClass',
    reviewStatus: 'approved',
    redemptionChannel: 'both',
    multipleDevicesAndHoldersAllowedStatus: 'statusUnspecified',
    enableSmartTap: false,
    localizedTitle: { kind: 'walletobjects#localizedString', defaultValue: { kind: 'walletobjects#translatedString' } },
  });
  expect((await client.call('GET', `offerObject/${id}`)).body.barcode).toMatchObject({ type: 'qrCode' });
  expect(fake.objects.get(id)).toEqual(client.offerObject('kinds', 'c-kinds', { barcode }));
  expect(fake.classes.get(client.id('c-kinds'))).toMatchObject({ reviewStatus: 'APPROVED', localizedTitle });
});

it('PUT accepts the body of a GET response, but requires a new review status for a class', async () => {
  const barcode = { type: 'CODE_128', value: '1' };
  const id = await client.offer('echo', { objectMore: { barcode } });
  const before = fake.objects.get(id);
  const { body: object } = await client.call('GET', `offerObject/${id}`);
  expect(await client.call('PUT', `offerObject/${id}`, object)).toMatchObject({ status: 200 });
  expect(fake.objects.get(id)).toEqual({ ...before, disableExpirationNotification: false });
  const path = `offerClass/${client.id('c-echo')}`;
  const { body: offerClass } = await client.call('GET', path);
  const rejected = await client.call('PUT', path, offerClass);
  expect(rejected).toMatchObject({ status: 400 });
  expect(rejected.body.error.message).toContain('Invalid review status Optional[APPROVED]');
  const again = { ...offerClass, reviewStatus: 'UNDER_REVIEW', multipleDevicesAndHoldersAllowedStatus: undefined };
  expect(await client.call('PUT', path, again)).toMatchObject({ status: 200 });
});

it.each([
  ['invalid', 'without a title', () => client.offerClass('x', { title: undefined })],
  ['invalid', 'with a colour in words', () => client.offerClass('x', { hexBackgroundColor: 'red' })],
  ['invalid', 'that says it is approved', () => client.offerClass('x', { reviewStatus: 'APPROVED' })],
  ['invalid', 'that says it is rejected', () => client.offerClass('x', { reviewStatus: 'rejected' })],
  [
    'invalid',
    'with an 11th location',
    () => client.offerClass('x', { merchantLocations: Array(11).fill({ latitude: 1, longitude: 1 }) }),
  ],
  ['invalidResource', 'of no issuer', () => client.offerClass('x', { id: 'bakery.x' })],
  ['invalidResource', 'with a bad character in its id', () => ({ ...client.offerClass('x'), id: client.id('a/b') })],
])('400 %s for a class %s', async (reason, _, body) => {
  expect(await client.call('POST', 'offerClass', body())).toMatchObject({ status: 400, reason });
  expect(fake.classes.size).toBe(0);
});

it('the details of an error response name each error', async () => {
  const { body } = await client.call('POST', 'offerClass', { id: client.id('x') });
  expect(body.error.details[0].fieldViolations).toContainEqual({ description: expect.stringContaining('$.title') });
});

it('409 for an existing id, even in another vertical', async () => {
  await client.offer('twice');
  const again = await client.call('POST', 'offerObject', client.offerObject('twice', 'c-twice'));
  expect(again).toMatchObject({ status: 409, reason: 'existingResource' });
  expect(await client.call('POST', 'genericClass', { id: client.id('c-twice') })).toMatchObject({ status: 409 });
  expect(await client.call('GET', `genericClass/${client.id('c-twice')}`)).toMatchObject({ status: 404 });
});

it('404 for an object without a class, and 400 for an object whose class is a draft or has another vertical', async () => {
  const insert = () => client.call('POST', 'offerObject', client.offerObject('o', 'c'));
  expect(await insert()).toMatchObject({ status: 404, reason: 'classNotFound' });
  await client.call('POST', 'offerClass', client.offerClass('c', { reviewStatus: 'DRAFT' }));
  expect(await insert()).toMatchObject({ status: 400, reason: 'invalid' });
  await client.call('PATCH', `offerClass/${client.id('c')}`, { reviewStatus: 'UNDER_REVIEW' });
  expect(await insert()).toMatchObject({ status: 200 });
  await client.call('POST', 'genericClass', { id: client.id('club') });
  const moved = { classId: client.id('club') };
  expect(await client.call('PATCH', `offerObject/${client.id('o')}`, moved)).toMatchObject({ status: 400 });
});

it('400 for a class that returns to DRAFT, and for a PATCH without a new review status', async () => {
  await client.offer('review');
  const path = `offerClass/${client.id('c-review')}`;
  expect(await client.call('PATCH', path, { reviewStatus: 'DRAFT' })).toMatchObject({ status: 400 });
  expect(await client.call('PATCH', path, { title: 'New' })).toMatchObject({ status: 400 });
  const well = await client.call('PATCH', path, { title: 'New', reviewStatus: 'UNDER_REVIEW' });
  expect(well).toMatchObject({ status: 200, body: { title: 'New', reviewStatus: 'approved' } });
});

it('PATCH merges at the top level and replaces lists, and PUT clears omitted properties', async () => {
  const textModulesData = ['a', 'b'].map((id) => ({ id, header: id, body: id }));
  const id = await client.offer('change', { objectMore: { textModulesData, barcode: { type: 'AZTEC', value: '1' } } });
  const path = `offerObject/${id}`;
  const modules = [{ id: 'c', header: 'c', body: 'c' }];
  await client.call('PATCH', path, { textModulesData: modules, barcode: null, state: 'INACTIVE' });
  const base = client.offerObject('change', 'c-change');
  expect(fake.objects.get(id)).toEqual({ ...base, state: 'INACTIVE', textModulesData: modules });
  await client.call('PUT', path, { classId: base.classId, state: 'ACTIVE' });
  expect(fake.objects.get(id)).toEqual(base);
  expect(await client.call('PATCH', path, { state: null })).toMatchObject({ status: 400 });
  const interval = { start: { date: '2026-11-20T10:00:00Z' } };
  await client.call('PATCH', path, { validTimeInterval: { ...interval, end: null } });
  expect(fake.objects.get(id)?.validTimeInterval).toEqual(interval);
  expect(await client.call('PUT', path, { ...base, id: client.id('other') })).toMatchObject({ status: 400 });
  const override = { 'x-http-method-override': 'PATCH' };
  expect(await client.call('POST', path, { state: 'COMPLETED' }, override)).toMatchObject({ status: 200 });
  expect(fake.objects.get(id)).toMatchObject({ state: 'COMPLETED' });
});

it('404 for a missing resource, and 405 for every DELETE', async () => {
  const id = await client.offer('kept');
  for (const method of ['PUT', 'PATCH']) {
    const body = client.offerObject('absent', 'c-kept');
    expect(await client.call(method, `offerObject/${client.id('absent')}`, body)).toMatchObject({ status: 404 });
  }
  expect(await client.call('GET', `offerObject/${client.id('absent')}`)).toMatchObject({ status: 404 });
  expect(await client.call('GET', 'hotelClass')).toMatchObject({ status: 404 });
  expect(await client.call('DELETE', `offerObject/${id}`)).toMatchObject({ status: 405 });
  expect(fake.objects.has(id)).toBe(true);
});

it('the API rejects or ignores unknown properties, as the test chooses', async () => {
  const textModulesData = [{ id: 'a', header: 'a', body: 'a', bold: true }];
  const body = client.offerObject('loose', 'c', { hexBackgroundColor: '#123456', textModulesData });
  await client.call('POST', 'offerClass', client.offerClass('c'));
  expect(await client.call('POST', 'offerObject', body)).toMatchObject({ status: 400, reason: 'invalid' });
  fake.rejectUnknownFields = false;
  expect(await client.call('POST', 'offerObject', body)).toMatchObject({ status: 200 });
  const stored = { textModulesData: [{ id: 'a', header: 'a', body: 'a' }] };
  expect(fake.objects.get(body.id)).toEqual(client.offerObject('loose', 'c', stored));
});

it('the API returns the classes of an issuer and the objects of a class in pages', async () => {
  await client.offer('p0');
  for (const suffix of ['p1', 'p2', 'p3', 'p4'])
    await client.call('POST', 'offerObject', client.offerObject(suffix, 'c-p0'));
  await client.offer('elsewhere');
  const path = `offerObject?classId=${client.id('c-p0')}`;
  const all = await client.call('GET', path);
  expect(all.body.resources).toHaveLength(5);
  expect(all.body.pagination).toEqual({ kind: 'walletobjects#pagination', resultsPerPage: 5 });
  const ids: string[] = [];
  for (let token: string | undefined = ''; token !== undefined;) {
    const page = await client.call('GET', `${path}&maxResults=2${token && `&token=${token}`}`);
    ids.push(...page.body.resources.map((each: { id: string }) => each.id));
    token = page.body.pagination.nextPageToken;
  }
  expect(ids).toEqual(['p0', 'p1', 'p2', 'p3', 'p4'].map((suffix) => client.id(suffix)));
  expect(await client.call('GET', `${path}&token=x`)).toMatchObject({ status: 400 });
  const classes = await client.call('GET', `offerClass?issuerId=${client.account.issuerId}`);
  expect(classes.body.resources).toHaveLength(2);
  expect(await client.call('GET', 'offerClass?issuerId=3388000000022077777')).toMatchObject({ status: 403 });
  expect(await client.call('GET', 'offerClass')).toMatchObject({ status: 400 });
});

it('the API fetches every image without credentials at each write, and records each fetch', async () => {
  await client.offer('seen', { objectMore: { heroImage: image(logo) } });
  await client.call('PATCH', `offerObject/${client.id('seen')}`, { state: 'INACTIVE' });
  expect(fake.imageFetches).toEqual(Array(2).fill({ url: logo, at: now, status: 200, problem: null }));
  expect(picturesAsked).toHaveLength(2);
  expect(picturesAsked[0]?.headers).not.toMatchObject({ cookie: expect.anything() });
  expect(picturesAsked[0]?.headers).toMatchObject({ host: 'passes.example.com' });
  expect(picturesAsked[0]?.headers).not.toHaveProperty('authorization');
});

it.each(['moved.png', 'page.png', 'gone.png'])('400 for the image %s, and nothing is stored', async (name) => {
  const hero = { heroImage: image(`https://passes.example.com/${name}`) };
  const both = { ...hero, titleImage: image(logo) };
  expect(await client.call('POST', 'offerClass', client.offerClass('c', both))).toMatchObject({ status: 400 });
  expect(fake.classes.size).toBe(0);
  expect(fake.imageFetches.filter(({ problem }) => problem)).toEqual([
    expect.objectContaining({ url: hero.heroImage.sourceUri.uri }),
  ]);
  const id = await client.offer('plain');
  expect(await client.call('PATCH', `offerObject/${id}`, { ...hero, state: 'INACTIVE' })).toMatchObject({
    status: 400,
  });
  expect(fake.objects.get(id)).toMatchObject({ state: 'ACTIVE' });
  fake.fetchImages = false;
  expect(await client.call('PATCH', `offerObject/${id}`, hero)).toMatchObject({ status: 200 });
});

it('only one of two simultaneous inserts of an id succeeds, even if both fetch images', async () => {
  const insert = () => client.call('POST', 'offerClass', client.offerClass('c', { titleImage: image(logo) }));
  const statuses = (await Promise.all([insert(), insert()])).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 409]);
});

it('403 quotaExceeded for a fourth notification within 24 hours, but not for a message without a notification', async () => {
  const id = await client.offer('told');
  const addMessage = (messageType: string) =>
    client.call('POST', `offerObject/${id}/addMessage`, { message: { header: 'h', body: 'b', messageType } });
  for (let times = 0; times < 3; times++) {
    const reported = await addMessage('TEXT_AND_NOTIFY');
    expect(reported).toMatchObject({ status: 200, body: { resource: { id, hasUsers: false } } });
  }
  expect(await addMessage('TEXT_AND_NOTIFY')).toMatchObject({ status: 403, reason: 'quotaExceeded' });
  expect(await addMessage('TEXT')).toMatchObject({ status: 200 });
  now = new Date(now.getTime() + 24 * 3_600_000);
  expect(await addMessage('TEXT_AND_NOTIFY')).toMatchObject({ status: 200 });
  for (let times = 0; times < 5; times++) expect(await addMessage('TEXT')).toMatchObject({ status: 200 });
  expect(await addMessage('TEXT')).toMatchObject({ status: 400 });
  const path = `offerClass/${client.id('c-told')}/addMessage`;
  expect(await client.call('POST', path, { message: { header: 'h', body: 'b' } })).toMatchObject({ status: 200 });
  expect(await client.call('POST', path, {})).toMatchObject({ status: 400 });
});

it('a message that is added twice with the same id appears twice and notifies twice', async () => {
  const id = await client.offer('twice');
  const message = { id: 'm', header: 'Seat', body: 'Seat: 14', messageType: 'TEXT_AND_NOTIFY' };
  const add = () => client.call('POST', `offerObject/${id}/addMessage`, { message });
  await add();
  await add();
  expect(fake.objects.get(id)?.['messages']).toEqual([message, message]);
  const added = { resourceId: id, id: 'm', header: 'Seat', body: 'Seat: 14', notified: true, at: now };
  expect(fake.addedMessages).toEqual([added, added]);
});

it('an object becomes EXPIRED at the end of its validity only if it is active', async () => {
  const date = new Date(now.getTime() + 1000).toISOString();
  const validTimeInterval = { end: { date } };
  const active = await client.offer('active', { objectMore: { validTimeInterval } });
  const inactive = await client.offer('inactive', { objectMore: { validTimeInterval, state: 'INACTIVE' } });
  const later = await client.offer('later', {
    objectMore: { validTimeInterval: { end: { date: '2099-01-01T00:00:00' } } },
  });
  const states = () => [active, inactive, later].map((id) => fake.objects.get(id)?.['state']);
  expect(states()).toEqual(['ACTIVE', 'INACTIVE', 'ACTIVE']);
  now = new Date(now.getTime() + 1000);
  expect(states()).toEqual(['EXPIRED', 'INACTIVE', 'ACTIVE']);
  expect((await client.call('GET', `offerObject/${active}`)).body).toMatchObject({ state: 'expired' });
  const longer = { state: 'ACTIVE', validTimeInterval: { end: { date: '2099-01-01T00:00:00Z' } } };
  await client.call('PATCH', `offerObject/${active}`, longer);
  expect(states()).toEqual(['ACTIVE', 'INACTIVE', 'ACTIVE']);
});

it('the API links offers to a membership, and removes links on request', async () => {
  const offer = await client.offer('gift');
  const loyaltyClass = { id: client.id('l'), issuerName: 'Club', programName: 'Club', programLogo: image(logo) };
  await client.call('POST', 'loyaltyClass', { ...loyaltyClass, reviewStatus: 'UNDER_REVIEW' });
  await client.call('POST', 'loyaltyObject', client.offerObject('m', 'l'));
  const change = (list: object) =>
    client.call('POST', `loyaltyObject/${client.id('m')}/modifyLinkedOfferObjects`, { linkedOfferObjectIds: list });
  expect((await change({ addLinkedOfferObjectIds: [offer] })).body.linkedOfferIds).toEqual([offer]);
  expect((await change({ removeLinkedOfferObjectIds: [offer] })).body.linkedOfferIds).toEqual([]);
});

it('the API links only existing objects of the same issuer, and keeps links that later writes omit', async () => {
  const [car, hat] = [await client.offer('car'), await client.offer('hat')];
  const path = `offerObject/${car}`;
  const change = (method: string, linkedObjectIds?: readonly string[] | null) =>
    client.call(method, path, { ...client.offerObject('car', 'c-car'), linkedObjectIds });
  expect(await change('PATCH', [client.id('absent')])).toMatchObject({ status: 400 });
  expect(fake.objects.get(car)).not.toHaveProperty('linkedObjectIds');
  expect((await change('PATCH', [hat])).body.linkedObjectIds).toEqual([hat]);
  for (const [method, links] of [
    ['PUT', undefined],
    ['PATCH', null],
    ['PATCH', []],
  ] as const) {
    expect(await change(method, links)).toMatchObject({ status: 200 });
    expect(fake.objects.get(car)).toMatchObject({ linkedObjectIds: [hat] });
  }
});

it('the API either only validates a save link, or creates its resources and returns the link', async () => {
  const payload = {
    offerClasses: [client.offerClass('c')],
    offerObjects: [client.offerObject('o', 'c', { heroImage: image(logo) })],
  };
  const jwt = client.link(payload, { iat: Math.floor(now.getTime() / 1000) });
  const text = jwt.slice(jwt.lastIndexOf('/') + 1);
  expect(await client.call('POST', 'jwt/validate', { jwtResource: { jwt: text } })).toMatchObject({ status: 200 });
  expect(fake.objects.size).toBe(0);
  const { status, body } = await client.call('POST', 'jwt', { jwt: text });
  expect(status).toBe(200);
  expect(body).toMatchObject({ saveUri: jwt, resources: { offerObjects: [{ id: client.id('o'), hasUsers: false }] } });
  expect(fake.objects.has(client.id('o'))).toBe(true);
  expect(await client.call('POST', 'jwt', { jwt: `${text}x` })).toMatchObject({ status: 400 });
});

it('the API returns the account data of an issuer', async () => {
  const { issuerId, clientEmail } = client.account;
  expect((await client.call('GET', `issuer/${issuerId}`)).body).toEqual({ issuerId, name: `Issuer ${issuerId}` });
  expect((await client.call('GET', 'issuer')).body.resources).toHaveLength(1);
  const permissions = [{ emailAddress: clientEmail, role: 'WRITER' }];
  expect((await client.call('GET', `permissions/${issuerId}`)).body).toEqual({ issuerId, permissions });
});
