import { Database } from '@passwright/database';
import { takeTemplate } from '@passwright/templates';
import { lockWaitsSql, repeatWhileBusy } from '@passwright/testing';
import type { Response } from 'supertest';
import { TestAccount, TestApp } from '../test-app.fixtures.js';
import { issued, passType, Phone, plainTemplate } from '../phone.fixtures.js';
import { DeviceRegistrationsRepository } from './device-registrations.repository.js';

let app: TestApp;
let database: Database;
let account: TestAccount;
let serial: string;
let phone: Phone;

beforeAll(async () => {
  app = await TestApp.start();
  database = app.get(Database);
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-20T10:00:00.500Z');
  account = await app.account();
  await plainTemplate(app, account);
  serial = await issued(app, account, 'offer/ada');
  phone = new Phone(app);
});
afterEach(() => jest.restoreAllMocks());

const rows = <Row = Record<string, unknown>>(table: string, of = account) =>
  database.reads.query<Row[]>(`SELECT * FROM ${table} WHERE account_id = $1 ORDER BY 1, 2, 3`, [of.id]);
const reported = ({ status, text, headers }: Response) => ({ status, text, type: headers['content-type'] });
const nothing = { text: '', type: undefined };
const unauthorized = {
  statusCode: 401,
  code: 'unauthorized',
  error: 'Unauthorized',
  message: expect.stringContaining('ApplePass <token>'),
};

describe('registering a device', () => {
  it('201 with an empty body for a registration, which records the version that the device has', async () => {
    await account.patch('offer/ada', { code: 'NEW' }).expect(200);
    expect(reported(await phone.register(serial))).toEqual({ status: 201, ...nothing });
    const now = app.clock.now();
    const [device] = await rows('apple_device');
    expect(device).toMatchObject({
      pass_type_identifier: passType,
      device_library_identifier: phone.deviceLibraryIdentifier,
      push_token: phone.pushToken,
      registered_at: now,
    });
    expect(await rows('apple_registration')).toEqual([
      {
        account_id: account.id,
        device_id: device!.id,
        serial_number: serial,
        template_id: 'offer',
        registered_at: now,
        seen_at: new Date('2026-11-20T10:00:01.500Z'),
        fetched_at: null,
        fetched_status: null,
        registered_in: expect.any(String),
      },
    ]);
  });

  it.each<[what: string, isNoted: boolean, change: () => Promise<unknown>]>([
    ['did not change', false, () => Promise.resolve()],
    ['changed only in its metadata', false, () => account.patch('offer/ada/metadata', { metadata: { a: 1 } })],
    ['changed', true, () => account.patch('offer/ada', { code: 'NEW' })],
    ['changed with its template', true, () => account.archive('offer')],
    ['was deleted', true, () => account.delete('offer/ada')],
  ])('a registration of a pass that %s plans a check of the device in 30 seconds: %s', async (_, isNoted, change) => {
    await change();
    app.clock.advance(60);
    await phone.register(serial).expect(201);
    const due = new Date(app.clock.now().getTime() + 30_000);
    expect(await rows('apple_device')).toMatchObject([{ due_at: isNoted ? due : null }]);
    const [before] = await rows('apple_registration');
    expect(before).toMatchObject({ registered_in: isNoted ? expect.any(String) : null });

    // Clear the due time: a repeated registration must not set it, because the phone has not downloaded the pass again.
    await database.reads.query('UPDATE apple_device SET due_at = NULL WHERE account_id = $1', [account.id]);
    await account.patch('offer/ada', { code: 'NEWER' });
    await phone.register(serial).expect(200);
    expect(await rows('apple_device')).toMatchObject([{ due_at: null }]);
    expect(await rows('apple_registration')).toEqual([before]);
  });

  it('a registration does not postpone a check of the device that is planned for an earlier time', async () => {
    const second = await issued(app, account, 'offer/bob');
    await phone.register(second).expect(201);
    const soon = new Date(app.clock.now().getTime() + 1000);
    await database.reads.query('UPDATE apple_device SET due_at = $2 WHERE account_id = $1', [account.id, soon]);
    await account.patch('offer/ada', { code: 'NEW' }).expect(200);
    await phone.register(serial).expect(201);
    expect(await rows('apple_device')).toMatchObject([{ due_at: soon }]);
  });

  it('200 for a repeated registration, which updates its time but keeps the version that the device has seen', async () => {
    await phone.register(serial).expect(201);
    const [before] = await rows('apple_registration');
    app.clock.advance(60);
    await account.patch('offer/ada', { code: 'NEW' }).expect(200);
    expect(reported(await phone.register(serial))).toEqual({ status: 200, ...nothing });
    expect(await rows('apple_registration')).toEqual([{ ...before, registered_at: app.clock.now() }]);
    expect(await rows('apple_device')).toMatchObject([{ registered_at: app.clock.now() }]);
  });

  it('a new push token replaces the old one in all accounts of the device and resets its failures', async () => {
    const other = await app.account();
    await plainTemplate(app, other);
    const elsewhere = await issued(app, other, 'offer/ada');
    for (const held of [serial, elsewhere]) await phone.register(held).expect(201);
    const neighbour = new Phone(app);
    await neighbour.register(serial).expect(201);
    await database.reads.query('UPDATE apple_device SET bad_tokens = 1, push_failures = 3');
    await phone.register(serial, 'beef').expect(200);

    const own = { push_token: 'beef', bad_tokens: 0, push_failures: 0 };
    expect(await rows('apple_device', other)).toMatchObject([own]);
    const devices = await rows<{ push_token: string }>('apple_device');
    expect(devices.find(({ push_token }) => push_token === 'beef')).toMatchObject(own);
    expect(devices.find(({ push_token }) => push_token === neighbour.pushToken)).toMatchObject({ bad_tokens: 1 });
  });

  it('the service accepts a registration body with any or no media type, and a body with unknown properties', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16']) {
      const body = JSON.stringify({ pushToken: phone.pushToken, colour: { a: [null] } });
      expect([200, 201]).toContain((await phone.registerWith(serial, body, type)).status);
    }
    const untyped = await fetch(`${await app.url()}${phone.registrationPath(serial)}`, {
      method: 'POST',
      headers: { Authorization: phone.authorization(serial) },
      body: new TextEncoder().encode('{"pushToken":"ab"}'),
    });
    expect(untyped.status).toBe(200);
    expect(await rows('apple_device')).toMatchObject([{ push_token: 'ab' }]);
  });

  it('the service accepts a registration if its path begins with two slashes or ends with a slash', async () => {
    const send = (path: string) =>
      app.request('post', path).set('Authorization', phone.authorization(serial)).send({ pushToken: 'ab' });
    expect((await send(`/${phone.registrationPath(serial)}`)).status).toBe(201);
    expect((await send(`${phone.registrationPath(serial)}/`)).status).toBe(200);
  });

  it('50 simultaneous requests create a single registration of a device', async () => {
    const register = async () => (await repeatWhileBusy(() => phone.register(serial))).status;
    const statuses = await Promise.all(Array.from({ length: 50 }, register));
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 200)).toHaveLength(49);
    expect([await rows('apple_device'), await rows('apple_registration')]).toMatchObject([[{}], [{}]]);
  });

  it('a device that registers in two accounts with changing tokens ends with the same push token in both', async () => {
    const other = await app.account();
    await plainTemplate(app, other);
    const elsewhere = await issued(app, other, 'offer/ada');
    const calls = Array.from({ length: 40 }, (_, n) =>
      repeatWhileBusy(() => phone.register(n % 2 ? serial : elsewhere, `a${n}`)),
    );
    for (const { status } of await Promise.all(calls)) expect([200, 201]).toContain(status);
    const [[mine], [theirs]] = [await rows('apple_device'), await rows('apple_device', other)];
    expect(mine!.push_token).toBe(theirs!.push_token);
    expect(mine!.id).not.toBe(theirs!.id);
  });

  it.each([
    ['pass', "UPDATE pass SET updated_at = '2027-01-01T00:00:00Z' WHERE account_id = $1"],
    ['template', "UPDATE template SET updated_at = '2027-01-01T00:00:00Z' WHERE account_id = $1"],
  ])('a registration waits for a pending change of the %s, and then records that change as seen', async (_, change) => {
    let registering: Promise<Response> | undefined;
    await database.transaction(async (tx) => {
      await takeTemplate(tx, account.id, 'offer');
      await tx.query(change, [account.id]);
      registering = phone.register(serial).then((response) => response);
      await someoneWaits();
    });
    expect((await registering)!.status).toBe(201);
    expect(await rows('apple_registration')).toMatchObject([{ seen_at: new Date('2027-01-01T00:00:00Z') }]);
  });

  it('a registration waits for a pending deletion of the pass, and then records the void version as seen', async () => {
    let registering: Promise<Response> | undefined;
    await database.transaction(async (tx) => {
      await tx.query(
        `INSERT INTO deleted_pass (account_id, serial_number, template_id, pass_id, type, issuer_name, deleted_at)
         VALUES ($1, $2, 'offer', 'ada', 'offer', 'Sundown Coffee', '2027-01-01T00:00:00Z')`,
        [account.id, serial],
      );
      await tx.query('DELETE FROM pass WHERE account_id = $1', [account.id]);
      registering = phone.register(serial).then((response) => response);
      await someoneWaits();
    });
    expect((await registering)!.status).toBe(201);
    expect(await rows('apple_registration')).toMatchObject([{ seen_at: new Date('2027-01-01T00:00:00Z') }]);
  });

  it('the service registers a device for a deleted pass', async () => {
    await account.delete('offer/ada').expect(204);
    await phone.register(serial).expect(201);
    await phone.register(serial).expect(200);
    expect(await rows('apple_registration')).toMatchObject([{ seen_at: new Date('2026-11-20T10:00:01.500Z') }]);
  });

  it.each([
    ['not JSON', 'pushToken=ab', 'malformed_json'],
    ['empty', '', 'malformed_json'],
    ['a list', '["ab"]', 'validation_failed'],
    ['null', 'null', 'validation_failed'],
    ['an object without a push token', '{}', 'validation_failed'],
    ['an object that inherits a push token', '{"__proto__":{"pushToken":"ab"}}', 'validation_failed'],
    ['an object with a number as push token', '{"pushToken":1}', 'validation_failed'],
    ['an object with an empty push token', '{"pushToken":""}', 'validation_failed'],
    ['an object with a push token of 201 characters', `{"pushToken":"${'a'.repeat(201)}"}`, 'validation_failed'],
    ['an object with a line break in the push token', '{"pushToken":"ab\\n"}', 'validation_failed'],
    ['an object with a NUL in the push token', '{"pushToken":"a\\u0000b"}', 'validation_failed'],
    ['an object with a path as push token', '{"pushToken":"../../3/device/ab"}', 'validation_failed'],
  ])('400 for a registration whose body is %s', async (_, body, code) => {
    const reply = await phone.registerWith(serial, body);
    expect([reply.status, reply.body.code]).toEqual([400, code]);
    expect(await rows('apple_device')).toEqual([]);
  });

  it('413 payload_too_large for a registration body over 4 KiB', async () => {
    const { status, body } = await phone.register(serial, 'a'.repeat(4096));
    expect([status, body.code]).toEqual([413, 'payload_too_large']);
  });

  it('400 validation_failed for a device identifier of more than 255 characters', async () => {
    const { status, body } = await new Phone(app, 'd'.repeat(256)).register(serial);
    expect([status, body.code]).toEqual([400, 'validation_failed']);
    expect((await new Phone(app, `${'d'.repeat(251)}%F0%9F%8E%89é`).register(serial)).status).toBe(201);
  });
});

describe.each(['AndroidPass', 'WalletUnionPass', 'walletunionpass'])(
  'a wallet that sends the authorization scheme %s',
  (scheme) => {
    it('a wallet for other phones can register, list passes and unregister', async () => {
      const other = new Phone(app, 'android-1', passType, scheme);
      const token = 'dK3x-_Q:APA91bH';
      expect(reported(await other.register(serial, token))).toEqual({ status: 201, ...nothing });
      expect((await other.register(serial, token)).status).toBe(200);
      // The service does not store the token, because Apple's push service would reject it.
      expect(await rows('apple_device')).toMatchObject([{ push_token: '-' }]);
      expect(await other.list()).toEqual([serial]);
      app.clock.advance(60);
      await account.patch('offer/ada', { code: 'NEW' }).expect(200);
      expect(await other.list()).toEqual([serial]);
      expect(reported(await other.unregister(serial))).toEqual({ status: 200, ...nothing });
      expect(await rows('apple_device')).toEqual([]);
    });

    it('400 and 401 for another wallet app in the same cases as for Apple Wallet', async () => {
      const other = new Phone(app, 'android-1', passType, scheme);
      expect((await other.registerWith(serial, 'no JSON')).body).toMatchObject({ code: 'malformed_json' });
      expect((await other.registerWith(serial, '[]')).body).toMatchObject({ code: 'validation_failed' });
      for (const send of [other.register(strange), other.unregister(strange)]) {
        const { status, body } = await send;
        expect([status, body]).toEqual([401, unauthorized]);
      }
      expect(await rows('apple_device')).toEqual([]);
    });
  },
);

it('Apple Wallet replaces the push token of another wallet that has used the same device identifier', async () => {
  const other = new Phone(app, phone.deviceLibraryIdentifier, passType, 'AndroidPass');
  await other.register(serial).expect(201);
  await phone.register(serial).expect(200);
  expect(await rows('apple_device')).toMatchObject([{ push_token: phone.pushToken }]);
});

const strange = '4fQz8LwXk2bN0aVtYc7mRd';
const rejected: [what: string, call: () => { path: string; authorization: string }][] = [
  ['a request without a token', () => ({ path: phone.registrationPath(serial), authorization: '' })],
  [
    'another authorization scheme',
    () => ({
      path: phone.registrationPath(serial),
      authorization: phone.authorization(serial).replace('ApplePass', 'Bearer'),
    }),
  ],
  [
    'a token with an extra character',
    () => ({ path: phone.registrationPath(serial), authorization: `${phone.authorization(serial)}A` }),
  ],
  [
    'a token of 10 KB',
    () => ({ path: phone.registrationPath(serial), authorization: `ApplePass ${'A'.repeat(10_000)}` }),
  ],
  [
    'the token of another pass',
    () => ({ path: phone.registrationPath(serial), authorization: phone.authorization(strange) }),
  ],
  [
    'a serial number that was never issued',
    () => ({ path: phone.registrationPath(strange), authorization: phone.authorization(strange) }),
  ],
  [
    'another pass type',
    () => ({
      path: new Phone(app, 'd', 'pass.other').registrationPath(serial),
      authorization: phone.authorization(serial),
    }),
  ],
  [
    'a serial number of 10 KB',
    () => ({ path: phone.registrationPath('x'.repeat(10_000)), authorization: phone.authorization(serial) }),
  ],
  [
    'a serial number with a slash',
    () => ({ path: phone.registrationPath('a%2Fb'), authorization: phone.authorization('a/b') }),
  ],
];

describe.each(['post', 'delete'] as const)('an unauthorized %s request', (method) => {
  it.each(rejected)('401 unauthorized for %s', async (_, call) => {
    const { path, authorization } = call();
    const response = await app.request(method, path).set('Authorization', authorization).send({ pushToken: 'ab' });
    expect([response.status, response.body, response.headers['www-authenticate']]).toEqual([
      401,
      unauthorized,
      'ApplePass',
    ]);
    expect(await rows('apple_device')).toEqual([]);
  });

  it('401 unauthorized before the service queries the database or checks the body', async () => {
    const queries = jest.spyOn(database, 'lookUp');
    const path = new Phone(app, 'd'.repeat(300)).registrationPath(serial);
    const response = await app.request(method, path).set('Authorization', phone.authorization(strange)).send('no JSON');
    expect([response.status, response.body]).toEqual([401, unauthorized]);
    expect(queries).not.toHaveBeenCalled();
  });
});

describe('unregistering a device', () => {
  it('200 with an empty body for an unregistration; the last unregistration deletes the device', async () => {
    const second = await issued(app, account, 'offer/bob');
    for (const held of [serial, second]) await phone.register(held).expect(201);
    const [device] = await rows('apple_device');
    app.clock.advance(60);

    expect(reported(await phone.unregister(serial))).toEqual({ status: 200, ...nothing });
    expect(await rows('apple_registration')).toMatchObject([{ serial_number: second }]);
    expect(await rows('apple_device')).toHaveLength(1);
    const note = { account_id: account.id, device_id: device!.id, reason: 'unregistered', left_at: app.clock.now() };
    expect(await rows('apple_former_registration')).toEqual([{ ...note, serial_number: serial }]);

    await phone.unregister(second).expect(200);
    expect([await rows('apple_registration'), await rows('apple_device')]).toEqual([[], []]);
    expect(await rows('apple_former_registration')).toHaveLength(2);
  });

  it.each(['', '{', '{"pushToken":"a"}', 'x'])('an unregistration ignores its body %j', async (body) => {
    await phone.register(serial).expect(201);
    const sent = phone.unregister(serial).set('Content-Type', 'application/json').send(body);
    expect(reported(await sent)).toEqual({ status: 200, ...nothing });
    expect(await rows('apple_registration')).toEqual([]);
  });

  it('the service keeps at most 1,000 former devices of a pass', async () => {
    await database.reads.query(
      `INSERT INTO apple_former_registration (account_id, serial_number, device_id, reason, left_at)
       SELECT $1, $2, 'former ' || n, 'unregistered', now() FROM generate_series(1, 1000) n`,
      [account.id, serial],
    );
    await phone.register(serial).expect(201);
    await phone.unregister(serial).expect(200);
    expect([await rows('apple_registration'), await rows('apple_device')]).toEqual([[], []]);
    expect(await rows('apple_former_registration')).toHaveLength(1000);
  });

  it('200 for unregistering a device that is not registered, even if the pass was deleted', async () => {
    expect(reported(await phone.unregister(serial))).toEqual({ status: 200, ...nothing });
    await phone.register(serial).expect(201);
    await account.delete('offer/ada').expect(204);
    for (let i = 0; i < 2; i++) expect(reported(await phone.unregister(serial))).toEqual({ status: 200, ...nothing });
    expect(await rows('apple_device')).toEqual([]);
  });

  it('the service unregisters a device even if the account has changed its pass type since the registration', async () => {
    await phone.register(serial).expect(201);
    const identity = await app.signer.identity(account.id);
    jest.spyOn(app.signer, 'identity').mockResolvedValue({ ...identity, passTypeIdentifier: 'pass.com.example.new' });
    expect((await phone.unregister(serial)).status).toBe(200);
    expect((await phone.unregister(serial)).status).toBe(401);
  });

  it('a device that registers again gets the same id, and is no longer recorded as a former device', async () => {
    await phone.register(serial).expect(201);
    const [before] = await rows('apple_device');
    await phone.unregister(serial).expect(200);
    await phone.register(serial).expect(201);
    expect(await rows('apple_former_registration')).toEqual([]);
    expect(await rows('apple_device')).toEqual([before]);
  });

  it('an unregistration does not affect other devices or the same device in another account', async () => {
    const other = await app.account();
    await plainTemplate(app, other);
    const elsewhere = await issued(app, other, 'offer/ada');
    const neighbour = new Phone(app);
    await Promise.all([phone.register(serial), phone.register(elsewhere), neighbour.register(serial)]);
    await phone.unregister(serial).expect(200);
    expect(await rows('apple_registration')).toHaveLength(1);
    expect(await rows('apple_registration', other)).toHaveLength(1);
    expect(await neighbour.list()).toEqual([serial]);
    expect(await phone.list()).toEqual([elsewhere]);
  });

  it('the event of an unregistration counts a device that registers at the same time', async () => {
    await database.reads.query(
      `INSERT INTO webhook (account_id, id, secret, created_at, updated_at) VALUES ($1, 'whk_1', '', now(), now())`,
      [account.id],
    );
    await phone.register(serial).expect(201);
    const repository = app.get(DeviceRegistrationsRepository);
    const deleteSilent = repository.deleteSilent.bind(repository);
    let unregistering: Promise<Response> | undefined;
    jest.spyOn(repository, 'deleteSilent').mockImplementationOnce(async (...registered) => {
      unregistering = phone.unregister(serial).then((response) => response);
      await Promise.race([unregistering, someoneWaits()]);
      await deleteSilent(...registered);
    });
    await new Phone(app).register(serial).expect(201);
    expect((await unregistering)!.status).toBe(200);
    const events = await rows<{ type: string; data: object }>('webhook_event');
    expect(events.filter(({ type }) => type === 'pass.removed')).toMatchObject([{ data: { installations: 1 } }]);
  });

  it('a device exists only while it has a registration, even after simultaneous requests', async () => {
    const second = await issued(app, account, 'offer/bob');
    for (let round = 0; round < 8; round++) {
      const calls = [serial, second].flatMap((held) => [
        phone.register(held),
        phone.unregister(held),
        phone.register(held),
        phone.unregister(held),
      ]);
      for (const { status } of await Promise.all(calls)) expect([200, 201]).toContain(status);
      const [devices, registrations] = [await rows('apple_device'), await rows('apple_registration')];
      expect(devices).toHaveLength(registrations.length > 0 ? 1 : 0);
      const former = await rows<{ serial_number: string }>('apple_former_registration');
      const held = registrations.map(({ serial_number }) => serial_number);
      expect(former.filter(({ serial_number }) => held.includes(serial_number))).toEqual([]);
    }
  });
});

/** Waits until a transaction is blocked by the lock of another transaction. */
async function someoneWaits(): Promise<void> {
  while ((await database.reads.query<unknown[]>(lockWaitsSql)).length === 0);
}
