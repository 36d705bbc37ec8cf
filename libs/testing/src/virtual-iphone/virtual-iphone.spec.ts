import { connect } from 'node:http2';
import { FakeApns } from '../fake-apns.js';
import { certificates, PASS_TYPE, passCertificate, zip } from './pass-package.fixtures.js';
import { deliverPushes } from './push-delivery.js';
import { ReferenceServer, type Reply } from './reference-server.fixtures.js';
import { VirtualIPhone, type VirtualIPhoneOptions } from './virtual-iphone.js';

const now = () => new Date('2026-11-20T10:00:00.000Z');
const stamp = String.raw`^\[2026-11-20 10:00:00 \+0000\] `;
let server: ReferenceServer;
const phones: VirtualIPhone[] = [];

function aPhone(options: VirtualIPhoneOptions = {}): VirtualIPhone {
  const phone = VirtualIPhone.create({ roots: [certificates().rootPem], now, ...options });
  phones.push(phone);
  return phone;
}

/** Returns the method, call and status of each request. */
function trace(phone: VirtualIPhone): string[] {
  return phone.requests.map(
    ({ method, path, status }) =>
      `${method} ${path.replace(/^.*\/v1\//, '').replace(/\/[0-9a-f]{32}\//, '/DEVICE/')} ${status}`,
  );
}

const gateOf = (phone: VirtualIPhone, serial = 'one') => {
  const { generic } = phone.passes.get(serial)!.json as unknown as { generic: { primaryFields: { value: string }[] } };
  return generic.primaryFields[0]!.value;
};

beforeEach(async () => {
  server = await ReferenceServer.start();
});

afterEach(async () => {
  await Promise.all(phones.splice(0).map((phone) => phone.close()));
  server.stop();
});

describe('a phone that adds a pass', () => {
  it('a phone registers an added pass with its push token, and fetches listed passes', async () => {
    const phone = aPhone();
    await phone.add(server.issue('one'));
    expect(trace(phone)).toEqual([
      `POST devices/DEVICE/registrations/${PASS_TYPE}/one 201`,
      `GET devices/DEVICE/registrations/${PASS_TYPE} 200`,
      `GET passes/${PASS_TYPE}/one 200`,
    ]);
    const [register, list, fetch] = phone.requests;
    const { authenticationToken } = phone.passes.get('one')!.json;
    expect(register!.headers).toMatchObject({
      authorization: `ApplePass ${String(authenticationToken)}`,
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^passd\/[\d.]+ CFNetwork\/[\d.]+ Darwin\/[\d.]+$/),
    });
    expect(JSON.parse(register!.body!)).toEqual({ pushToken: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(list!.headers).not.toHaveProperty('authorization');
    expect(fetch!.headers).not.toHaveProperty('if-modified-since');
    expect(server.tokenOf(phone.deviceLibraryIdentifier('one')!)).toBe(phone.tokens.get(PASS_TYPE));
    expect(phone.passes.get('one')).toMatchObject({ registered: true, lastModified: 'Sun, 15 Jun 2025 15:06:40 GMT' });
    expect(phone.logLines).toEqual([]);
  });

  it('a phone does not register a pass that has no web service or whose updates are off', async () => {
    const phone = aPhone();
    await phone.add(server.issue('one'), { automaticUpdates: false });
    await phone.add(server.issue('two', { webServiceURL: undefined, authenticationToken: undefined }));
    expect(phone.requests).toEqual([]);
    expect([...phone.passes.keys()]).toEqual(['one', 'two']);
  });

  it('a phone that has an update tag also fetches a newly added pass that the list omits', async () => {
    const phone = aPhone();
    const later = server.issue('two');
    await phone.add(server.issue('one'));
    await phone.add(later);
    expect(trace(phone).slice(3)).toEqual([
      `POST devices/DEVICE/registrations/${PASS_TYPE}/two 201`,
      `GET devices/DEVICE/registrations/${PASS_TYPE}?passesUpdatedSince=2 204`,
      `GET passes/${PASS_TYPE}/two 200`,
    ]);
    expect(phone.logLines).toEqual([]);
  });

  it('a phone rejects an invalid package, lists every error and sends no request', async () => {
    const phone = aPhone();
    const bad = server.issue('one', { teamIdentifier: 'OTHERTEAM1', voided: 'no' });
    await expect(phone.add(bad)).rejects.toMatchObject({
      name: 'PackageRejected',
      problems: ['pass.json: voided is not true or false', expect.stringContaining('teamIdentifier is "OTHERTEAM1"')],
    });
    expect(phone.passes.size).toBe(0);
    expect(phone.requests).toEqual([]);
  });

  it('a phone adds and registers all passes of a bundle, or none if one is invalid', async () => {
    const phone = aPhone();
    const entry = (serial: string, data: Buffer) => ({ name: `${serial}.pkpass`, data });
    const [one, two] = [server.issue('one'), server.issue('two')];
    await expect(phone.addBundle(zip([entry('one', one), entry('two', two.subarray(1))]))).rejects.toThrow(
      '"two.pkpass": zip',
    );
    expect(phone.passes.size).toBe(0);
    await phone.addBundle(zip([entry('one', one), entry('two', two)]));
    expect(server.registered(phone.deviceLibraryIdentifier('one')!)).toEqual(['one', 'two']);
  });

  it('a phone sends the Last-Modified of a download when it fetches the pass', async () => {
    const phone = aPhone();
    await phone.add(server.issue('one'), { lastModified: 'Sun, 15 Jun 2025 15:06:40 GMT' });
    expect(trace(phone).at(-1)).toBe(`GET passes/${PASS_TYPE}/one 304`);
    expect(phone.logLines).toEqual([]);
  });

  it('a phone encodes characters that a path must not contain, but not slash and plus', async () => {
    const phone = aPhone();
    await phone.add(server.issue('a/b+c d%é'));
    expect(phone.requests[0]!.path).toMatch(
      /^\/wallet\/v1\/devices\/[0-9a-f]{32}\/registrations\/pass\.com\.example\.test\/a\/b\+c%20d%25%C3%A9$/,
    );
    expect(phone.failed).toEqual([]);
  });

  it('a phone uses one device identifier for each web service, and reuses its connections', async () => {
    const other = await ReferenceServer.start({ path: '' });
    const phone = aPhone();
    await phone.add(server.issue('one'));
    await phone.add(server.issue('two'));
    await phone.add(other.issue('three'));
    expect(phone.deviceLibraryIdentifier('two')).toBe(phone.deviceLibraryIdentifier('one'));
    expect(phone.deviceLibraryIdentifier('three')).not.toBe(phone.deviceLibraryIdentifier('one'));
    expect(phone.requests.at(-1)!.path).toMatch(/^\/v1\/passes/);
    expect(server.sockets).toBe(1);
    other.stop();
  });

  it('a phone supports https and trusts only the given authorities', async () => {
    const secure = await ReferenceServer.start({ tls: true });
    const phone = aPhone({ ca: [certificates().rootPem], allowHttp: false });
    await phone.add(secure.issue('one'));
    expect(phone.passes.get('one')!.registered).toBe(true);
    const stranger = aPhone();
    await stranger.add(secure.package('one'));
    expect(stranger.requests[0]).toMatchObject({ status: null, error: expect.stringContaining('certificate') });
    secure.stop();
  });

  it("a phone with a route sends requests to the route's address instead of the pass's", async () => {
    const phone = aPhone({ route: () => server.url });
    await phone.add(server.issue('one', { webServiceURL: 'https://wallet.example.com/wallet' }));
    expect(phone.requests[0]!.url).toMatch(/^https:\/\/wallet\.example\.com\/wallet\/v1\/devices/);
    expect(phone.failed).toEqual([]);
  });
});

describe('a phone that receives a push', () => {
  it('a phone that receives a push fetches the changes since its tag, and shows them', async () => {
    const phone = aPhone();
    await phone.add(server.issue('one'));
    await phone.add(server.issue('two'));
    const { lastModified } = phone.passes.get('one')!;
    server.change('one', 'B2');
    const lines = await phone.push();
    expect(lines).toEqual([
      {
        at: now(),
        passTypeIdentifier: PASS_TYPE,
        serialNumber: 'one',
        title: 'Example Testing',
        text: 'Gate is now B2',
      },
    ]);
    expect(phone.notifications).toEqual(lines);
    expect(gateOf(phone)).toBe('B2');
    const [list, fetch, ...more] = phone.requests.slice(-2);
    expect(list!.path).toMatch(/\?passesUpdatedSince=2$/);
    expect(fetch!.headers['if-modified-since']).toBe(lastModified);
    expect(more).toEqual([]);
    expect(phone.logLines).toEqual([]);
  });

  it('a phone requests the list once for simultaneous pushes, and once more for a later push', async () => {
    const phone = aPhone();
    await phone.add(server.issue('one'));
    server.change('one', 'B2');
    await Promise.all([phone.push(), phone.push(), phone.push()]);
    server.change('one', 'C3');
    await phone.push();
    expect(trace(phone).filter((line) => line.includes('passesUpdatedSince'))).toHaveLength(2);
    expect(gateOf(phone)).toBe('C3');
  });

  it('a phone accepts only pushes with its token and topic', async () => {
    const phone = aPhone();
    await phone.add(server.issue('one'));
    const token = phone.tokens.get(PASS_TYPE)!;
    server.change('one', 'B2');
    expect(await phone.receivePush('0'.repeat(64), PASS_TYPE)).toBeNull();
    expect(await phone.receivePush(token, 'pass.com.example.other')).toBeNull();
    expect(await phone.receivePush(token, PASS_TYPE)).toHaveLength(1);
  });

  it('a phone receives the pushes for its token until the delivery stops', async () => {
    const phone = aPhone();
    const other = aPhone();
    await phone.add(server.issue('one'));
    await other.add(server.issue('two'));
    const delivery = deliverPushes(server, phones);
    server.change('one', 'B2');
    await delivery.settled();
    expect([gateOf(phone), gateOf(other, 'two')]).toEqual(['B2', 'A1']);
    await other.changePushToken();
    await phone.close();
    phones.splice(phones.indexOf(phone), 1);
    server.push('one');
    expect([delivery.delivered, delivery.undeliverable]).toEqual([1, 1]);
    await delivery.stop();
    server.push('two');
    expect(delivery.delivered).toBe(1);
  });

  it('a phone receives pushes that a client sends through FakeApns', async () => {
    const fake = await FakeApns.start({ root: certificates().rootPem });
    const phone = aPhone();
    await phone.add(server.issue('one'));
    const delivery = deliverPushes(fake, [phone]);
    server.change('one', 'B2');
    const { certificatePem, intermediatePem, privateKeyPem } = passCertificate();
    const client = connect(fake.url, { ca: fake.ca, cert: certificatePem + intermediatePem, key: privateKeyPem });
    const path = `/3/device/${phone.tokens.get(PASS_TYPE)}`;
    client.request({ ':method': 'POST', ':path': path, 'apns-topic': PASS_TYPE }).end('{}');
    await fake.nextPush();
    await delivery.stop();
    expect(gateOf(phone)).toBe('B2');
    client.close();
    await fake.stop();
  });

  it('a phone stores the tag of a list only after it has fetched all listed passes', async () => {
    const phone = aPhone();
    await phone.add(server.issue('one'));
    await phone.add(server.issue('two'));
    const failing = (reply: Reply): Reply => ({ ...reply, status: 503, body: '' });
    server.alter.pass = (reply, { url }) => (url!.endsWith('/two') ? failing(reply) : reply);
    server.change('one', 'B2');
    server.change('two', 'B2');
    await phone.push();
    expect([gateOf(phone, 'one'), gateOf(phone, 'two')]).toEqual(['B2', 'A1']);
    expect(phone.failed).toEqual([`list ${PASS_TYPE} ${server.url}`]);
    server.change('one', 'C3', { push: false });
    server.alter = {};
    await phone.retryFailed();
    expect([gateOf(phone, 'one'), gateOf(phone, 'two')]).toEqual(['C3', 'B2']);
    expect(phone.failed).toEqual([]);
    expect(phone.logLines).toEqual([expect.stringContaining('Unexpected response code 503')]);
    await phone.push();
    expect(phone.requests.at(-2)!.path).toMatch(/passesUpdatedSince=5$/);
  });
});

describe('the owner of a phone', () => {
  it('a phone refreshes a pass without requesting the list of changed passes', async () => {
    const phone = aPhone();
    await phone.add(server.issue('one'));
    expect(await phone.refresh('one')).toBe('unchanged');
    server.change('one', 'B2');
    expect(await phone.refresh('one')).toBe('updated');
    server.alter.pass = () => ({ status: 404 });
    expect(await phone.refresh('one')).toBe('failed');
    expect(trace(phone).slice(3)).toEqual(
      [304, 200, 404].map((status) => `GET passes/${PASS_TYPE}/one ${status}`).concat('POST log 200'),
    );
    await expect(phone.refresh('none')).rejects.toThrow('no pass with the serial number "none"');
  });

  it('a phone removes a pass, and retries the unregistration until the server responds with 200', async () => {
    const phone = aPhone();
    await phone.add(server.issue('one'));
    const device = phone.deviceLibraryIdentifier('one')!;
    server.alter.unregister = () => ({ status: 204 });
    await phone.remove('one');
    expect(phone.passes.size).toBe(0);
    expect(phone.failed).toEqual(['unregister one']);
    server.alter = {};
    await phone.retryFailed();
    expect(phone.failed).toEqual([]);
    expect(server.registered(device)).toEqual([]);
    expect(trace(phone).filter((line) => line.startsWith('DELETE'))).toHaveLength(2);
  });

  it('a phone unregisters a pass when its updates are turned off, and registers it when they are turned on', async () => {
    const phone = aPhone();
    await phone.add(server.issue('one'));
    const device = phone.deviceLibraryIdentifier('one')!;
    await phone.setAutomaticUpdates('one', false);
    expect(server.registered(device)).toEqual([]);
    expect(phone.passes.get('one')).toMatchObject({ automaticUpdates: false, registered: false });
    server.change('one', 'B2');
    await phone.setAutomaticUpdates('one', true);
    expect(server.registered(device)).toEqual(['one']);
    expect(gateOf(phone)).toBe('B2');
  });

  it('a phone registers every pass again after its push token has changed', async () => {
    const phone = aPhone();
    await phone.add(server.issue('one'));
    await phone.add(server.issue('two'));
    const old = phone.tokens.get(PASS_TYPE);
    await phone.changePushToken();
    expect(phone.tokens.get(PASS_TYPE)).not.toBe(old);
    expect(server.tokenOf(phone.deviceLibraryIdentifier('one')!)).toBe(phone.tokens.get(PASS_TYPE));
    expect(trace(phone).filter((line) => / 200$/.test(line) && line.startsWith('POST'))).toHaveLength(2);
  });

  it('a phone replaces a pass that is added again, without registering it again', async () => {
    const phone = aPhone();
    await phone.add(server.issue('one'));
    server.change('one', 'B2', { push: false });
    const sent = phone.requests.length;
    await phone.add(server.package('one'));
    expect(gateOf(phone)).toBe('B2');
    expect(phone.requests).toHaveLength(sent);
    expect(phone.notifications).toEqual([]);
  });

  it('a phone sends the given log lines to the web service', async () => {
    const phone = aPhone();
    await phone.add(server.issue('one'));
    await phone.log(['hello', 'world']);
    expect(server.logged).toEqual(['hello', 'world']);
  });
});

describe('a failing web service', () => {
  it.each([202, 204, 302, 401, 404, 500])('a phone retries a registration that got the response %i', async (status) => {
    const phone = aPhone();
    server.alter.register = () => ({ status, headers: status === 302 ? { Location: '/' } : undefined });
    await phone.add(server.issue('one'));
    expect(phone.passes.get('one')!.registered).toBe(false);
    expect(phone.failed).toEqual(['register one']);
    const reason = status === 401 ? 'Authentication failure' : `Unexpected response code ${status}`;
    expect(server.logged).toEqual([
      expect.stringMatching(
        new RegExp(
          `${stamp}Register task \\(for device [0-9a-f]{32}, pass type ${PASS_TYPE}, serial number one; with web service url ${server.url}\\) encountered error: ${reason}$`,
        ),
      ),
    ]);
    server.alter = {};
    await phone.retryFailed();
    expect(phone.failed).toEqual([]);
    expect(phone.passes.get('one')!.registered).toBe(true);
    expect(trace(phone).at(-1)).toBe(`GET passes/${PASS_TYPE}/one 200`);
  });

  it('a phone retries requests to an unreachable web service, but sends no log lines to it', async () => {
    const phone = aPhone();
    await phone.add(server.issue('one'));
    server.alter = { list: (reply) => ({ ...reply, reset: true }) };
    server.change('one', 'B2');
    await phone.push();
    expect(phone.requests.at(-1)).toMatchObject({ status: null, error: expect.any(String) });
    expect(phone.logLines).toEqual([]);
    server.alter = {};
    await phone.retryFailed();
    expect(gateOf(phone)).toBe('B2');
  });

  it('a phone gives up on a web service that never responds', async () => {
    const phone = aPhone({ timeoutSeconds: 0.05 });
    const pkpass = server.issue('one', { webServiceURL: `${server.url}` });
    server['handle'] = () => Promise.resolve();
    await phone.add(pkpass);
    expect(phone.requests[0]).toMatchObject({ status: null, error: expect.stringMatching(/timeout|aborted/i) });
    expect(phone.failed).toEqual(['register one']);
  });

  it('a phone cuts off a response of more than 16 MiB', async () => {
    const phone = aPhone();
    await phone.add(server.issue('one'));
    server.alter.pass = (reply) => ({ ...reply, body: Buffer.alloc((16 << 20) + 1) });
    server.change('one', 'B2');
    expect(await phone.refresh('one')).toBe('failed');
    expect(phone.requests.at(-1)!.error).toMatch(/more than 16777216 bytes/);
  });
});

it('each of many phones in one process receives its own pushes and fetches its own changes', async () => {
  const shared = server.issue('shared');
  const fleet = Array.from({ length: 200 }, () => aPhone());
  const delivery = deliverPushes(server, fleet);
  await Promise.all(fleet.map((phone) => phone.add(shared)));
  server.change('shared', 'B2');
  await delivery.settled();
  expect(new Set(fleet.map((phone) => gateOf(phone, 'shared')))).toEqual(new Set(['B2']));
  expect(delivery.delivered).toBe(fleet.length);
  expect(fleet.flatMap((phone) => phone.logLines)).toEqual([]);
});
