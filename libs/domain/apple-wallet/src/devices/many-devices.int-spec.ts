import { Database } from '@passwright/database';
import { repeatWhileBusy } from '@passwright/testing';
import type { Response } from 'supertest';
import { AppleWalletOptions } from '../apple-wallet.options.js';
import { TestAccount, TestApp } from '../test-app.fixtures.js';
import { issued, Phone, plainTemplate } from '../phone.fixtures.js';
import { PassRequestLimit } from './pass-request-limit.service.js';

let app: TestApp;
let account: TestAccount;

beforeAll(async () => {
  app = await TestApp.start();
  account = await app.account();
  await plainTemplate(app, account);
  Object.assign(app.get(AppleWalletOptions), { devicesPerPass: 10 });
});
afterAll(() => app.stop());

async function devicesOf(serial: string): Promise<string[]> {
  const rows = await app.get(Database).reads.query<{ name: string }[]>(
    `SELECT d.device_library_identifier AS name FROM apple_registration r
     JOIN apple_device d ON d.account_id = r.account_id AND d.id = r.device_id WHERE r.serial_number = $1`,
    [serial],
  );
  return rows.map(({ name }) => name);
}

it('the service limits the devices of a pass, even when many devices register simultaneously', async () => {
  const serial = await issued(app, account, 'offer/crowded');
  const phones = Array.from({ length: 40 }, () => new Phone(app));
  const responses = await Promise.all(phones.map((phone) => repeatWhileBusy(() => phone.register(serial))));
  expect(responses.map(({ status }) => status)).toEqual(phones.map(() => 201));
  const last = new Phone(app);
  await last.register(serial).expect(201);
  const stored = await devicesOf(serial);
  expect(stored).toHaveLength(10);
  expect(stored).toContain(last.deviceLibraryIdentifier);
  const [orphans] = await app.get(Database).reads.query<{ count: number }[]>(
    `SELECT count(*)::int AS count FROM apple_device d WHERE account_id = $1 AND NOT EXISTS (
       SELECT FROM apple_registration r WHERE r.account_id = d.account_id AND r.device_id = d.id)`,
    [account.id],
  );
  expect(orphans).toEqual({ count: 0 });
});

const notesOf = (serial: string) =>
  app
    .get(Database)
    .reads.query<{ reason: string; left_at: Date }[]>(
      'SELECT reason, left_at FROM apple_former_registration WHERE serial_number = $1',
      [serial],
    );

it('the service records each device that the limit removes, up to 1,000 devices per pass', async () => {
  const serial = await issued(app, account, 'offer/noted');
  for (let i = 0; i < 12; i++) await new Phone(app).register(serial).expect(201);
  const note = { reason: 'device_limit', left_at: app.clock.now() };
  expect(await notesOf(serial)).toEqual([note, note]);
  await app.get(Database).reads.query(
    `INSERT INTO apple_former_registration (account_id, serial_number, device_id, reason, left_at)
     SELECT $1, $2, 'former ' || n, 'unregistered', now() FROM generate_series(1, 997) n`,
    [account.id, serial],
  );
  for (let i = 0; i < 2; i++) await new Phone(app).register(serial).expect(201);
  expect(await devicesOf(serial)).toHaveLength(10);
  expect(await notesOf(serial)).toHaveLength(1000);
});

it('the service removes the device that was silent longest from a pass with too many devices, but not from other passes', async () => {
  const [crowded, other] = [await issued(app, account, 'offer/old'), await issued(app, account, 'offer/other')];
  const silent = new Phone(app);
  await silent.register(crowded).expect(201);
  await silent.register(other).expect(201);
  await app
    .get(Database)
    .reads.query(
      `UPDATE apple_registration SET registered_at = '2020-01-01Z' WHERE account_id = $1 AND serial_number = $2`,
      [account.id, crowded],
    );
  for (let i = 0; i < 10; i++) await new Phone(app).register(crowded).expect(201);
  expect(await devicesOf(crowded)).not.toContain(silent.deviceLibraryIdentifier);
  expect(await devicesOf(other)).toEqual([silent.deviceLibraryIdentifier]);
});

it('429 rate_limited with Retry-After for too many requests for one pass in a minute, from any devices', async () => {
  const serial = await issued(app, account, 'offer/busy');
  const statuses: number[] = [];
  for (let i = 0; i < 301; i++) statuses.push((await new Phone(app).unregister(serial)).status);
  expect(statuses.slice(0, 300)).toEqual(Array(300).fill(200));
  const rejected = await new Phone(app).unregister(serial);
  expect([statuses[300], rejected.status, rejected.body.code]).toEqual([429, 429, 'rate_limited']);
  expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(0);
  await new Phone(app).unregister(await issued(app, account, 'offer/quiet')).expect(200);
});

describe('the limit of requests for a pass', () => {
  const perMinute = 300;
  let busy: string;
  let quiet: string;
  let phone: Phone;

  beforeEach(async () => {
    const owner = await app.account();
    await owner.template('generic');
    const holder = { primaryValue: 'Ada Lovelace' };
    busy = await issued(app, owner, 'generic/busy', holder);
    quiet = await issued(app, owner, 'generic/quiet', holder);
    phone = new Phone(app);
  });

  const rejection = ({ status, body }: Response) => [status, body.code];
  const limited = [429, 'rate_limited'];

  it('429 rate_limited for too many downloads of a pass, even if the package has not changed', async () => {
    for (let count = 3; count < perMinute; count++) app.get(PassRequestLimit).take(busy);
    const { headers } = await phone.fetch(busy).expect(200);
    await phone.fetch(busy, headers['last-modified']).expect(304);
    await phone.fetch(busy).expect(200);
    expect((await phone.fetch(busy)).status).toBe(429);
    expect(rejection(await phone.unregister(busy))).toEqual(limited);
    await phone.fetch(quiet).expect(200);
    await phone.register(busy).expect(201);
  });

  it('429 rate_limited for too many registrations of a pass', async () => {
    for (let count = 1; count < perMinute / 5; count++) app.get(PassRequestLimit).takeRegistration(busy);
    await phone.register(busy).expect(201);
    expect(rejection(await phone.register(busy))).toEqual(limited);
    await phone.register(quiet).expect(201);
    await phone.fetch(busy).expect(200);
  });

  it('requests without the token of the pass do not count towards the limit of the pass', async () => {
    for (let count = 1; count < perMinute; count++) app.get(PassRequestLimit).take(busy);
    for (let count = 1; count < perMinute / 5; count++) app.get(PassRequestLimit).takeRegistration(busy);
    const wrong = { Authorization: phone.authorization(quiet) };
    for (let count = 0; count < 3; count++) {
      await app.request('get', phone.passPath(busy)).set(wrong).expect(401);
      await app.request('delete', phone.registrationPath(busy)).set(wrong).expect(401);
      await app.request('post', phone.registrationPath(busy)).set(wrong).send({ pushToken: 'ab' }).expect(401);
    }
    await phone.fetch(busy).expect(200);
    await phone.register(busy).expect(201);
  });
});
