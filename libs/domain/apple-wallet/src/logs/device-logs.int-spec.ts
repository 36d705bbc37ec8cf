import { Database } from '@passwright/database';
import { TestAccount, TestApp } from '../test-app.fixtures.js';
import { DevicesRetentionCron } from '../devices/devices-retention.cron.js';
import { issued, Phone, plainTemplate } from '../phone.fixtures.js';

let app: TestApp;
let database: Database;
let account: TestAccount;
let phone: Phone;
let serial: string;

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

interface Line {
  readonly serial_number: string;
  readonly line: string;
  readonly received_at: Date;
}

const lines = (of = account) =>
  database.reads.query<Line[]>('SELECT * FROM apple_log_line WHERE account_id = $1 ORDER BY serial_number, id', [
    of.id,
  ]);
const send = (body: string, type = 'application/json') =>
  app.request('post', '/v1/log').set('Content-Type', type).send(body);

describe('the device log', () => {
  it('200 with an empty body for a log, whose lines about existing and deleted passes are stored in order', async () => {
    const other = await issued(app, account, 'offer/bob');
    await account.delete('offer/bob').expect(204);
    const logs = [`first: ${serial}`, 'about nobody', `second: (${serial}), ${other}`];
    const { status, text } = await phone.log(...logs);
    expect([status, text]).toEqual([200, '']);
    const at = { account_id: account.id, received_at: app.clock.now() };
    const stored = await lines();
    expect(stored.filter(({ serial_number }) => serial_number === serial)).toMatchObject([
      { ...at, line: logs[0] },
      { ...at, line: logs[2] },
    ]);
    expect(stored.filter(({ serial_number }) => serial_number === other)).toMatchObject([{ ...at, line: logs[2] }]);
  });

  it('the service keeps the newest 50 log lines of each pass, even if many devices send logs simultaneously', async () => {
    const other = await issued(app, account, 'offer/bob');
    await phone.log(`only: ${other}`);
    await phone.log(...Array.from({ length: 60 }, (_, n) => `${n}: ${serial}`));
    const stored = (await lines()).filter(({ serial_number }) => serial_number === serial);
    expect(stored.map(({ line }) => line)).toEqual(Array.from({ length: 50 }, (_, n) => `${n + 10}: ${serial}`));
    app.clock.advance(1);
    await Promise.all(Array.from({ length: 12 }, (_, n) => phone.log(`a${n}: ${serial}`, `b${n}: ${serial}`)));
    const now = (await lines()).filter(({ serial_number }) => serial_number === serial);
    expect(now).toHaveLength(50);
    expect(now.filter(({ line }) => /^[ab]/.test(line))).toHaveLength(24);
    expect((await lines()).filter(({ serial_number }) => serial_number === other)).toHaveLength(1);
  });

  it('the service shortens long lines and removes control characters, but does not reject the log', async () => {
    const long = `${serial} ${'é'.repeat(2000)}`;
    const body = JSON.stringify({
      logs: [
        long,
        `\u0000\u001b[31m ${serial}\ud800`,
        1,
        null,
        { a: serial },
        [serial],
        ...Array<string>(200).fill(''),
      ],
      version: 2,
    });
    expect((await send(body)).status).toBe(200);
    expect((await lines()).map(({ line }) => line)).toEqual([long.slice(0, 1000), `[31m ${serial}`]);
    expect((await send(JSON.stringify({ logs: [...Array<string>(100).fill('x'), `late ${serial}`] }))).status).toBe(
      200,
    );
    expect(await lines()).toHaveLength(2);
    for (const logs of [[], Array<string>(20_000).fill(''), [[[[[[]]]]]]]) {
      expect((await send(JSON.stringify({ logs }))).status).toBe(200);
    }
  });

  it('the service reads a device log with any media type', async () => {
    for (const type of ['text/plain', 'application/octet-stream', 'application/json; charset=utf-16']) {
      expect((await send(JSON.stringify({ logs: [serial] }), type)).status).toBe(200);
    }
    expect(await lines()).toHaveLength(3);
  });

  it.each([
    ['', 400, 'malformed_json'],
    ['{"logs": [', 400, 'malformed_json'],
    ['[]', 400, 'validation_failed'],
    ['{}', 400, 'validation_failed'],
    ['{"logs": "x"}', 400, 'validation_failed'],
    ['{"logs": {"0": "x", "length": 1}}', 400, 'validation_failed'],
    [`{"logs": ["${'x'.repeat(65_536)}"]}`, 413, 'payload_too_large'],
    ['['.repeat(65_000), 400, 'malformed_json'],
  ])('400 or 413 for an invalid device log (case %#)', async (body, status, code) => {
    const response = await send(body);
    expect([response.status, response.body.code]).toEqual([status, code]);
  });

  it('the service stores a line only in the account of the pass, and ignores words that are not serial numbers', async () => {
    const other = await app.account();
    await plainTemplate(app, other);
    const elsewhere = await issued(app, other, 'offer/ada');
    await phone.log(`${elsewhere} 4fQz8LwXk2bN0aVtYc7mRd ${account.id} '; DROP TABLE apple_log_line; --`);
    expect([await lines(), (await lines(other)).length]).toEqual([[], 1]);
  });
});

it('the service deletes log lines after 30 days and records of former registrations after 90 days', async () => {
  await phone.log(`old: ${serial}`);
  await phone.register(serial).expect(201);
  await phone.unregister(serial).expect(200);
  const former = () =>
    database.reads.query<unknown[]>('SELECT FROM apple_former_registration WHERE account_id = $1', [account.id]);
  const counts = async () => {
    await app.get(DevicesRetentionCron).deleteOld();
    return [(await lines()).length, (await former()).length];
  };
  const day = 24 * 60 * 60;
  app.clock.advance(30 * day);
  await phone.log(`new: ${serial}`);
  expect(await counts()).toEqual([2, 1]);
  app.clock.advance(1);
  expect(await counts()).toEqual([1, 1]);
  app.clock.advance(60 * day);
  expect(await counts()).toEqual([0, 0]);
});
