import { Database } from '@passwright/database';
import { TestApp, type TestAccount } from '../test-app.fixtures.js';

let app: TestApp;
let account: TestAccount;
let serial: string;

beforeAll(async () => (app = await TestApp.start()));
afterAll(() => app.stop());
beforeEach(async () => {
  account = await app.account();
  app.signer.replaced = { development: false };
  await account.template('offer');
  await account.post('offer/ada', { code: 'ADA' }).expect(200);
  const sql = 'SELECT serial_number AS serial FROM pass WHERE account_id = $1';
  const [row] = await db().query<{ serial: string }[]>(sql, [account.id]);
  serial = row!.serial;
});

const db = () => app.get(Database).reads;
const trace = (query = '') => account.get(`offer/ada/delivery${query}`).expect(200);
const before = (seconds: number) => new Date(app.clock.now().getTime() - seconds * 1000);

async function device(id: string, columns: object = {}, registration: object = {}): Promise<void> {
  await insert('apple_device', {
    account_id: account.id,
    id,
    pass_type_identifier: 'pass.example',
    device_library_identifier: `secret-${id}`,
    push_token: 'ab',
    registered_at: before(7200),
    ...columns,
  });
  await insert('apple_registration', {
    account_id: account.id,
    device_id: id,
    serial_number: serial,
    template_id: 'offer',
    registered_at: before(7200),
    seen_at: before(7200),
    ...registration,
  });
}

async function insert(table: string, columns: object): Promise<void> {
  const names = Object.keys(columns);
  const places = names.map((_, index) => `$${index + 1}`);
  await db().query(`INSERT INTO ${table} (${names.join()}) VALUES (${places.join()})`, Object.values(columns));
}

it('the delivery trace says for each device what happened after the change and what happens next', async () => {
  await device('a', { listed_at: before(5) }, { seen_at: app.clock.now(), fetched_at: before(4), fetched_status: 200 });
  const sent = { pushed_at: before(1200), push_id: 'the-id', push_status: 200, push_attempts: 1 };
  await device('b', { ...sent, due_at: before(-2400) });
  await device('c');
  // The service has marked this device for a push, but has not checked it yet.
  const page = { id: 1, due_at: app.clock.now(), since: 1, device_ids: ['c'], size: 1 };
  await insert('apple_push_page', { account_id: account.id, ...page });
  await insert('apple_former_registration', {
    account_id: account.id,
    serial_number: serial,
    device_id: 'd',
    reason: 'gone',
    left_at: before(60),
  });
  const { body } = await trace();
  expect(body).toMatchObject({
    version: app.clock.now().toISOString(),
    push: { state: 'on', reason: null, retryAt: null },
    complaints: [],
    devices: [
      {
        deviceId: 'a',
        verdict: 'up_to_date',
        registeredAt: before(7200).toISOString(),
        pushed: null,
        listed: { at: before(5).toISOString() },
        fetched: { at: before(4).toISOString(), status: 200, version: app.clock.now().toISOString() },
        nextPush: null,
      },
      {
        deviceId: 'b',
        verdict: 'stale',
        pushed: { at: before(1200).toISOString(), id: 'the-id', status: 200, reason: null, attempts: 1 },
        fetched: null,
        nextPush: before(-2400).toISOString(),
      },
      { deviceId: 'c', verdict: 'waiting', pushed: null, nextPush: app.clock.now().toISOString() },
      { deviceId: 'd', verdict: 'updates_off', explanation: expect.stringMatching(/erased.*since 2026-11-20T09:59/) },
    ],
    nextCursor: null,
  });
  expect(JSON.stringify(body)).not.toContain('secret-');
});

it('the delivery trace includes a template change, and lists a device only once after two registrations', async () => {
  await device('a', {}, { seen_at: app.clock.now() });
  await insert('apple_former_registration', {
    account_id: account.id,
    serial_number: serial,
    device_id: 'a',
    reason: 'unregistered',
    left_at: before(60),
  });
  const later = before(-60);
  await db().query('UPDATE template SET updated_at = $2 WHERE account_id = $1', [account.id, later]);
  const { body } = await trace();
  expect(body).toMatchObject({ version: later.toISOString(), devices: [{ deviceId: 'a', verdict: 'waiting' }] });
});

it('the delivery trace explains log lines, and replaces the device identifiers in them with the service’s ids', async () => {
  await device('a');
  const lines = ['spurious push (for device secret-a, pass type p)', 'Nobody knows this'];
  for (const [index, line] of lines.entries()) {
    const row = { account_id: account.id, serial_number: serial, id: `l${index}`, line, received_at: before(9) };
    await insert('apple_log_line', row);
  }
  const { body } = await trace();
  expect(body.complaints).toEqual([{ at: before(9).toISOString(), line: lines[1], meaning: null }]);
  expect(body.devices[0].complained).toMatchObject([
    { line: 'spurious push (for device a, pass type p)', meaning: expect.stringContaining('found nothing new') },
  ]);
});

it('the delivery trace says that a device was removed because the pass had too many devices', async () => {
  const row = {
    account_id: account.id,
    serial_number: serial,
    device_id: 'd',
    reason: 'device_limit',
    left_at: before(60),
  };
  await insert('apple_former_registration', row);
  const { body } = await trace();
  expect(body.devices).toMatchObject([
    { verdict: 'updates_off', explanation: expect.stringMatching(/More devices.*since 2026-11-20T09:59/) },
  ]);
});

it('the service lists installed and former devices together, page by page', async () => {
  for (const id of ['d1', 'd3', 'd5']) await device(id);
  for (const id of ['d2', 'd4']) {
    const row = { account_id: account.id, serial_number: serial, device_id: id, reason: 'gone', left_at: before(1) };
    await insert('apple_former_registration', row);
  }
  const seen: string[] = [];
  let cursor = '';
  do {
    const { body } = await trace(`?limit=2${cursor && `&cursor=${cursor}`}`);
    seen.push(...body.devices.map(({ deviceId }: { deviceId: string }) => deviceId));
    cursor = body.nextCursor;
  } while (cursor);
  expect(seen).toEqual(['d1', 'd2', 'd3', 'd4', 'd5']);
});

describe('the delivery trace while no pushes are sent', () => {
  it('the delivery trace says that a development certificate disables pushes', async () => {
    app.signer.replaced = { development: true };
    await device('a', { due_at: app.clock.now() });
    const { body } = await trace();
    expect(body.push).toMatchObject({ state: 'off', reason: expect.stringContaining('development') });
    expect(body.devices[0]).toMatchObject({ verdict: 'waiting', nextPush: null });
  });

  it('the delivery trace says why and until when pushes are stopped, until the account has a new certificate', async () => {
    await device('a', { due_at: app.clock.now() });
    await insert('circuit_breaker', {
      receiver: 'apple',
      account_id: account.id,
      fingerprint: '0'.repeat(64),
      reason: 'BadCertificate',
      since: before(60),
      retry_at: before(-840),
    });
    const { body } = await trace();
    expect(body.push).toEqual({ state: 'halted', reason: 'BadCertificate', retryAt: before(-840).toISOString() });
    expect(body.devices[0].nextPush).toBe(before(-840).toISOString());
    app.signer.replaced = { development: false, fingerprint: '1'.repeat(64) };
    expect((await trace()).body.push.state).toBe('on');
  });

  it('the delivery trace says why the account has no usable certificate', async () => {
    jest.spyOn(app.signer, 'identity').mockRejectedValueOnce(new Error('The certificate has expired.'));
    expect((await trace()).body.push).toMatchObject({ state: 'halted', reason: 'The certificate has expired.' });
  });
});

it('404 pass_not_found for a pass of another account and for a deleted pass', async () => {
  const other = await app.account();
  await other.get('offer/ada/delivery').expect(404, /pass_not_found/);
  await account.delete('offer/ada').expect(204);
  await account.get('offer/ada/delivery').expect(404, /pass_not_found/);
});

it('400 validation_failed for a cursor of another list', async () => {
  await account.get('offer/ada/delivery?cursor=WyJhIiwiYiJd').expect(400, /validation_failed/);
});
