import { randomUUID } from 'node:crypto';
import { repeatWhileBusy, testDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import {
  AppleWalletWorld,
  type Held,
  mustBe,
  passType,
  points,
  setPoints,
  shown,
  shownField,
  showsPoints,
  trace,
  until,
} from '../support/apple-wallet-world.js';
import type { Account } from '../support/running-service.js';

let world: AppleWalletWorld;
let account: Account;

beforeAll(async () => {
  world = await AppleWalletWorld.start();
  await world.addNode();
  account = await world.newAccount();
});
afterAll(() => world.stop());

describe('one PATCH', () => {
  it('one PATCH causes a push, and the phone fetches the pass and announces the change', async () => {
    const held = await world.hold(account, 'offer');
    const { phone, serial } = held;
    const before = phone.requests.length;

    const { body } = await setPoints(held, '120');
    expect(body.notifications).toEqual({
      walletA: [{ key: 'points', message: 'Points: 120', shown: 'notification', reason: null }],
      walletB: [],
      silent: [{ key: 'points', wallets: ['walletB'], reason: 'not_installed' }],
    });
    const push = await world.nextPush(phone);
    expect(push).toMatchObject({ topic: passType, certificateUid: passType, body: '{}', status: 200 });
    expect(push.headers).toMatchObject({ 'apns-push-type': 'background', 'apns-priority': '5' });

    expect(phone.requests.slice(before).map(({ method, status }) => [method, status])).toEqual([
      ['GET', 200],
      ['GET', 200],
    ]);
    expect(phone.requests.at(-1)?.path).toBe(`/v1/passes/${passType}/${serial}`);
    expect(shownField(held, 'points')).toBe('120');
    expect(phone.notifications.map(({ text }) => text)).toEqual(['Points: 120']);
    expect(phone.failed).toEqual([]);
    expect(phone.logLines).toEqual([]);

    const { push: state, devices } = await until(
      () => trace(held),
      ({ devices: [device] }) => device.pushed?.status === 200,
    );
    expect(state).toMatchObject({ state: 'on', reason: null });
    expect(devices).toEqual([
      expect.objectContaining({
        verdict: 'up_to_date',
        pushed: expect.objectContaining({ id: push.apnsId, status: 200 }),
        listed: expect.any(Object),
        fetched: expect.objectContaining({ status: 200 }),
        complained: [],
      }),
    ]);
    expect(JSON.stringify(devices)).not.toContain(phone.deviceLibraryIdentifier(serial));
  });

  it('one PATCH on one node updates a phone that talks to the other node', async () => {
    const phone = world.phone(() => (world.nodes[1] as { baseUrl: string }).baseUrl);
    const held = await world.hold(account, 'offer', {}, phone);
    await setPoints(held, '7');
    await world.nextPush(phone);
    expect(shownField(held, 'points')).toBe('7');
    const [device] = (
      await until(
        () => trace(held),
        ({ devices: [device] }) => device.verdict === 'up_to_date',
      )
    ).devices;
    expect(device.fetched).toMatchObject({ status: 200 });
  });
});

describe('the content on phones', () => {
  const at = (held: Held, action: string) => account.post(`${held.path}/${action}`);
  const template = (held: Held, action: string) => account.post(`/v1/templates/${held.template}/${action}`);
  const isVoid = (held: Held) => shown(held).voided === true;
  const kinds: [
    string,
    {
      before?: (held: Held) => Promise<unknown>;
      change: (held: Held) => Promise<unknown>;
      shows: (held: Held) => unknown;
    },
  ][] = [
    ['a patch', { change: (held) => setPoints(held, '5'), shows: (held) => shownField(held, 'points') === '5' }],
    [
      'an upsert',
      {
        change: ({ template, id }) => world.issue(account, template, id, points('6')),
        shows: (held) => shownField(held, 'points') === '6',
      },
    ],
    ['voiding', { change: (held) => at(held, 'void'), shows: isVoid }],
    [
      'un-voiding',
      { before: (held) => at(held, 'void'), change: (held) => at(held, 'unvoid'), shows: (held) => !isVoid(held) },
    ],
    ['redeeming', { change: (held) => at(held, 'redeem'), shows: isVoid }],
    [
      'a change of the template',
      {
        change: ({ template }) => world.saveTemplate(account, template, { issuerName: 'Difference Engines' }),
        shows: (held) => shown(held).organizationName === 'Difference Engines',
      },
    ],
    ['archiving the template', { change: (held) => template(held, 'archive'), shows: isVoid }],
    [
      'un-archiving the template',
      {
        before: (held) => template(held, 'archive'),
        change: (held) => template(held, 'unarchive'),
        shows: (held) => !isVoid(held),
      },
    ],
  ];

  it.each(kinds)('every phone shows the content of the package after %s', async (_what, { before, change, shows }) => {
    const id = randomUUID();
    await world.saveTemplate(account, id);
    const { body: issued } = await world.issue(account, id);
    const held = { path: `/v1/pass/${id}/${issued.pass.id}`, template: id, id: issued.pass.id } as Held;
    await before?.(held);
    const onPhone = await world.put(account, issued);
    expect(shows(onPhone)).toBe(false);

    await change(onPhone);
    await until(
      () => shown(onPhone),
      () => shows(onPhone),
    );
    expect(shown(onPhone)).toEqual(await world.downloaded(onPhone));
    expect(onPhone.phone.failed).toEqual([]);
  });

  it('every phone shows a deleted pass as void and empty', async () => {
    const held = await world.hold(account, 'offer', { ...points('secret'), code: `secret-${randomUUID()}` });
    mustBe(204, await account.delete(held.path));
    await until(() => shown(held), isVoidJson);
    expect(JSON.stringify(shown(held))).not.toContain('secret');
    expect(await held.phone.refresh(held.serial)).toBe('unchanged');
  });

  it('every phone shows an expired pass after its expiry', async () => {
    const held = await world.hold(account, 'offer');
    const expiry = new Date(Date.now() + 500);
    mustBe(200, await account.patch(held.path, { expiry: expiry.toISOString() }));
    await until(Date.now, (now) => now > expiry.getTime());
    await world.minutePasses();
    await until(() => shown(held), isVoidJson);
    expect(shown(held)).toEqual(await world.downloaded(held));
  });

  it('the voiding of an expired pass causes no push, because phones already show it as void', async () => {
    const held = await world.hold(account, 'offer');
    mustBe(200, await account.patch(held.path, { expiry: new Date(Date.now() - 1000).toISOString() }));
    await until(
      () => trace(held),
      ({ devices }) => devices[0].verdict === 'up_to_date',
    );
    const before = world.pushesTo(held.phone).length;
    mustBe(200, await account.post(`${held.path}/void`));
    await world.jobsIdle();
    expect(world.pushesTo(held.phone)).toHaveLength(before);
    expect(await held.phone.refresh(held.serial)).toBe('unchanged');
    expect(shown(held)).toEqual(await world.downloaded(held));
  });

  it('a change of the metadata alone causes no push, because phones do not show it', async () => {
    const held = await world.hold(account, 'offer');
    const { lastModified } = held.phone.passes.get(held.serial) ?? {};
    mustBe(200, await account.patch(held.path, { metadata: { order: 1 } }));
    mustBe(200, await account.patch(`${held.path}/metadata`, { metadata: { order: 2 } }));
    await world.jobsIdle();
    expect(world.pushesTo(held.phone)).toEqual([]);
    expect(await held.phone.refresh(held.serial)).toBe('unchanged');
    expect(held.phone.passes.get(held.serial)?.lastModified).toBe(lastModified);

    await setPoints(held, '1');
    await world.nextPush(held.phone);
    await world.jobsIdle();
    expect(world.pushesTo(held.phone)).toHaveLength(1);
  });

  const isVoidJson = ({ voided }: Record<string, unknown>) => voided === true;
});

describe('simultaneous changes', () => {
  it('phones get both of two simultaneous changes, in whatever order they commit', async () => {
    const early = await world.hold(account, 'offer');
    const late = await world.hold(account, 'offer', {}, early.phone);
    const release = await holdBackCommits(early.id);
    const patch = setPoints(early, 'early');
    await until(
      () => waitingForLock(),
      (count) => count > 0,
    );

    // Write and commit this change while the transaction of the other change is still open.
    await setPoints(late, 'late');
    await world.nextPush(early.phone);
    expect([shownField(early, 'points'), shownField(late, 'points')]).toEqual(['0', 'late']);

    await release();
    await patch;
    await world.nextPush(early.phone);
    expect([shownField(early, 'points'), shownField(late, 'points')]).toEqual(['early', 'late']);
    expect(early.phone.logLines).toEqual([]);
  });

  it('archiving a template voids all of its passes, including those issued at the same moment', async () => {
    const template = randomUUID();
    await world.saveTemplate(account, template);
    const held = await world.hold(account, template);
    const issues = Array.from({ length: 50 }, (_, index) =>
      repeatWhileBusy(() => account.post(`/v1/pass/${template}/p${index}`)).then(async (response) => {
        // Archive the template while passes are being issued.
        if (index === 10) mustBe(200, await repeatWhileBusy(() => account.post(`/v1/templates/${template}/archive`)));
        return response;
      }),
    );
    const responses = await Promise.all(issues);
    const issued = responses.filter(({ status }) => status === 200).map(({ body }) => body);
    expect(responses.filter(({ status }) => status !== 200).map(({ body }) => body.code)).toEqual(
      new Array(50 - issued.length).fill('template_archived'),
    );

    const list = await account.get(`/v1/pass/${template}?limit=100`);
    expect(list.body.data).toHaveLength(issued.length + 1);
    expect(list.body.data.filter(({ voided }: { voided: boolean }) => !voided)).toEqual([]);
    expect((await account.get(`/v1/pass/${template}?voided=false`)).body.data).toEqual([]);
    const packages = await Promise.all(issued.map((pass) => world.downloaded(pass)));
    expect(packages.filter(({ voided }) => voided !== true)).toEqual([]);
    await until(
      () => shown(held),
      ({ voided }) => voided === true,
    );
  });
});

/** Blocks the commits of changed passes. @returns a function that unblocks them */
async function holdBackCommits(passId: string): Promise<() => Promise<void>> {
  const name = `hold_${randomUUID().replaceAll('-', '')}`;
  const lock = Math.floor(Math.random() * 2 ** 31);
  // Use a separate connection, because the lock belongs to a session.
  const url = (await testDatabase()).url;
  const dataSource = await new DataSource({ type: 'postgres', url, poolSize: 1 }).initialize();
  await dataSource.query('SELECT pg_advisory_lock($1)', [lock]);
  await dataSource.query(`CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock(${lock}); RETURN NULL; END $$`);
  // The trigger is deferred, so it runs at the commit.
  await dataSource.query(`CREATE CONSTRAINT TRIGGER ${name} AFTER UPDATE ON pass DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.id = '${passId}') EXECUTE FUNCTION ${name}()`);
  return async () => {
    await dataSource.query('SELECT pg_advisory_unlock($1)', [lock]);
    await until(waitingForLock, (count) => count === 0);
    await dataSource.query(`DROP TRIGGER ${name} ON pass`);
    await dataSource.query(`DROP FUNCTION ${name}()`);
    await dataSource.destroy();
  };
}

async function waitingForLock(): Promise<number> {
  const [row] = await world.sql<{ count: number }>(
    `SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return row?.count ?? 0;
}

describe('registrations of phones', () => {
  it('the service deletes a device with its last pass, and pushes to it after a new registration', async () => {
    const first = await world.hold(account, 'offer');
    const second = await world.hold(account, 'offer', {}, first.phone);
    const { phone } = first;
    await phone.remove(first.serial);
    expect(phone.requests.filter(({ method }) => method === 'DELETE').map(({ status }) => status)).toEqual([200]);
    expect(await world.devicesOf(phone)).toHaveLength(1);
    expect((await trace(first)).devices).toEqual([expect.objectContaining({ verdict: 'updates_off' })]);

    await phone.setAutomaticUpdates(second.serial, false);
    expect(await world.devicesOf(phone)).toEqual([]);
    await setPoints(second, '1');
    await world.jobsIdle();
    expect(world.pushesTo(phone)).toEqual([]);

    await phone.setAutomaticUpdates(second.serial, true);
    expect(shownField(second, 'points')).toBe('1');
    await setPoints(second, '2');
    await world.nextPush(phone);
    expect(shownField(second, 'points')).toBe('2');
    expect(
      (
        await until(
          () => trace(second),
          ({ devices }) => devices[0].verdict === 'up_to_date',
        )
      ).devices,
    ).toHaveLength(1);
    expect(phone.failed).toEqual([]);
  });

  it('a phone gets pushes under its new push token after the token has changed', async () => {
    const held = await world.hold(account, 'offer');
    const { phone } = held;
    const former = phone.tokens.get(passType);
    await phone.changePushToken();
    expect(phone.tokens.get(passType)).not.toBe(former);
    await setPoints(held, '1');
    const { token } = await world.nextPush(phone);
    expect(token).toBe(phone.tokens.get(passType));
    expect(shownField(held, 'points')).toBe('1');
    expect(world.apns.pushes.filter((push) => push.token === former)).toEqual([]);
  });

  it('an unregistered phone can download the pass, and gets 304 while the pass is unchanged', async () => {
    const { body } = await world.issue(account, 'offer');
    const { bytes } = await world.service.request('GET', body.walletAUrl);
    const phone = world.phone();
    const { json } = await phone.add(bytes, { automaticUpdates: false });
    mustBe(200, await account.patch(`/v1/pass/offer/${body.pass.id}`, points('9')));
    expect(await phone.refresh(json.serialNumber)).toBe('updated');
    expect(phone.passes.get(json.serialNumber)?.json).toEqual(await world.downloaded(body));
    expect(await phone.refresh(json.serialNumber)).toBe('unchanged');
    expect(phone.requests.map(({ method, status }) => [method, status])).toEqual([
      ['GET', 200],
      ['GET', 304],
    ]);
  });
});

describe('passes of one phone', () => {
  it('passes that a phone added as a bundle get updates like any other passes', async () => {
    const issued = await Promise.all([1, 2, 3].map(async () => (await world.issue(account, 'offer')).body));
    const query = issued.map(({ pass }) => `pass=offer:${pass.id}`).join('&');
    const bundle = mustBe(200, await world.service.request('GET', `/v1/pass/${account.id}/bundle/walletA?${query}`));
    const phone = world.phone();
    const passes = await phone.addBundle(bundle.bytes);
    expect(passes.map(({ registered }) => registered)).toEqual([true, true, true]);

    const [one, other] = issued;
    for (const { pass } of [one, other]) mustBe(200, await account.patch(`/v1/pass/offer/${pass.id}`, points('4')));
    const wanted = await Promise.all(issued.map((pass) => world.downloaded(pass)));
    await until(
      () => passes.map(({ json }) => JSON.stringify(json)),
      (shown) => wanted.every((json) => shown.includes(JSON.stringify(json))),
    );
    expect(phone.failed).toEqual([]);
  });

  it('deleted passes stay void on the phone, even after another pass is issued under the same id', async () => {
    const held = await world.hold(account, 'offer');
    mustBe(204, await account.delete(held.path));
    await until(
      () => shown(held),
      ({ voided }) => voided === true,
    );
    const successor = await world.put(account, (await world.issue(account, 'offer', held.id)).body, held.phone);
    expect(successor.serial).not.toBe(held.serial);
    await setPoints(successor, '3');
    await showsPoints(successor, '3');
    expect(await held.phone.refresh(held.serial)).toBe('unchanged');
    expect(shown(held).voided).toBe(true);
  });
});

describe('random changes in random order', () => {
  it('after random changes on two nodes, all phones show the content of the packages', async () => {
    const template = randomUUID();
    await world.saveTemplate(account, template);
    const phones = [0, 1, 0, 1].map((node) => world.phone(() => (world.nodes[node] as { baseUrl: string }).baseUrl));
    const issued = await Promise.all(
      Array.from({ length: 8 }, async () => (await world.issue(account, template)).body),
    );
    const held: Held[] = [];
    // Put each pass on two phones.
    for (const [index, pass] of issued.entries()) {
      for (const offset of [0, 1]) held.push(await world.put(account, pass, phones[(index + offset) % phones.length]));
    }

    const on = (node: number, method: string, path: string, body?: object) =>
      (world.nodes[node] as typeof world.service).request(method, path, { token: account.token, body });
    const changes = (index: number): ((path: string) => Promise<{ status: number }>)[] => [
      (path) => on(index % 2, 'PATCH', path, points(String(index))),
      (path) => on((index + 1) % 2, 'PATCH', path, points(`again ${index}`)),
      (path) => on(index % 2, 'POST', `${path}/void`),
      (path) => on(index % 2, 'POST', `${path}/unvoid`),
      (path) => on(index % 2, 'PATCH', path, { metadata: { index } }),
    ];
    const statuses: number[] = [];
    const numbers = Array.from({ length: 60 }, (_, index) => index).values();
    // Send only a few requests at a time, because a busy node rejects requests that have waited for five seconds.
    const lane = async () => {
      for (const index of numbers) {
        const { path } = held[Math.floor(Math.random() * held.length)] as Held;
        const kinds = changes(index);
        if (index === 30) await world.saveTemplate(account, template, { issuerName: 'Difference Engines' });
        statuses.push((await (kinds[index % kinds.length] as (typeof kinds)[number])(path)).status);
      }
    };
    await Promise.all(Array.from({ length: 10 }, lane));
    expect(new Set(statuses)).toEqual(new Set([200]));

    const wanted = new Map<string, string>();
    for (const pass of issued) {
      const json = await world.downloaded(pass);
      wanted.set(json.serialNumber, JSON.stringify(json));
    }
    await until(
      () => held.filter((each) => JSON.stringify(shown(each)) !== wanted.get(each.serial)).map(({ id }) => id),
      (stale) => stale.length === 0,
    );
    expect(phones.flatMap(({ failed }) => failed)).toEqual([]);
  });
});

describe('the PassKit routes', () => {
  it('the PassKit routes accept a trailing slash, and HEAD in place of GET', async () => {
    const held = await world.hold(account, 'offer');
    const { phone, serial } = held;
    const device = `/v1/devices/${phone.deviceLibraryIdentifier(serial)}/registrations/${passType}`;
    const pass = `/v1/passes/${passType}/${serial}`;
    const headers = { Authorization: `ApplePass ${shown(held).authenticationToken as string}` };
    const body = { pushToken: phone.tokens.get(passType) };
    const status = async (method: string, path: string, request: object = {}) =>
      (await world.service.request(method, path, { headers, ...request })).status;

    expect(await status('POST', `${device}/${serial}/`, { body })).toBe(200);
    for (const slash of ['', '/']) {
      const list = await world.service.request('GET', device + slash);
      expect(list).toMatchObject({ status: 200, body: { serialNumbers: [serial], lastUpdated: expect.any(String) } });
      const head = await world.service.request('HEAD', device + slash);
      expect([head.status, head.bytes.length]).toEqual([200, 0]);
      const since = `?passesUpdatedSince=${list.body.lastUpdated}`;
      expect(await status('GET', device + slash + since)).toBe(204);
      expect(await status('HEAD', device + slash + since)).toBe(204);

      const get = await world.service.request('GET', pass + slash, { headers });
      const passHead = await world.service.request('HEAD', pass + slash, { headers });
      expect([get.status, passHead.status, passHead.bytes.length]).toEqual([200, 200, 0]);
      expect(passHead.headers.get('last-modified')).toBe(get.headers.get('last-modified'));
      expect(await status('HEAD', pass + slash, { headers: {} })).toBe(401);
      expect(await status('POST', `/v1/log${slash}`, { body: { logs: ['a line'] } })).toBe(200);
    }
    expect(await status('DELETE', `${device}/${serial}/`)).toBe(200);
    expect(await status('DELETE', `${device}/${serial}/`)).toBe(200);
    expect(await status('GET', `${device}/`)).toBe(204);
  });
});

describe('many changes at the same time', () => {
  it('a phone with five passes of a changed template gets one push', async () => {
    const template = randomUUID();
    await world.saveTemplate(account, template);
    const phone = world.phone();
    const passes: Held[] = [];
    for (let index = 0; index < 5; index++) passes.push(await world.hold(account, template, {}, phone));
    await world.saveTemplate(account, template, { issuerName: 'Difference Engines' });
    await world.nextPush(phone);
    await world.jobsIdle();
    await world.delivery.settled();
    expect(passes.map((held) => shown(held).organizationName)).toEqual(new Array(5).fill('Difference Engines'));
    expect(world.pushesTo(phone)).toHaveLength(1);
  });
});
