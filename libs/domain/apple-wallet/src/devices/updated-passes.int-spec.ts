import { Database } from '@passwright/database';
import { vacuumed } from '@passwright/testing';
import { TestAccount, TestApp } from '../test-app.fixtures.js';
import { issued, passType, Phone, plainTemplate } from '../phone.fixtures.js';
import { decodeTag, encodeTag, signTag } from './update-tag.js';
import { findUpdated, UpdatedPassesRepository } from './updated-passes.repository.js';

/** Skips a test of query plans if PARTITIONS is set, because Postgres scans small partitions completely. */
const itWithoutPartitions = process.env.PARTITIONS ? it.skip : it;

let app: TestApp;
let database: Database;
let account: TestAccount;
let phone: Phone;
let ada: string;
let bob: string;

beforeAll(async () => {
  app = await TestApp.start();
  database = app.get(Database);
});
afterAll(() => app.stop());
beforeEach(async () => {
  account = await app.account();
  await plainTemplate(app, account);
  ada = await issued(app, account, 'offer/ada');
  bob = await issued(app, account, 'offer/bob');
  phone = new Phone(app);
  for (const serial of [ada, bob]) await phone.register(serial).expect(201);
});

/** The secret with which the test app signs tags. */
const secret = 's'.repeat(32);
const path = (query = '') => `/v1/devices/${phone.deviceLibraryIdentifier}/registrations/${passType}${query}`;

describe('the list of changed passes', () => {
  it('the first list of a device contains all its passes and a tag of at most 4,000 characters', async () => {
    const { status, headers, body } = await app.request('get', path());
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'application/json; charset=utf-8',
      'private, no-store',
    ]);
    expect(Object.keys(body)).toEqual(['serialNumbers', 'lastUpdated']);
    expect(body.serialNumbers.sort()).toEqual([ada, bob].sort());
    expect(body.lastUpdated).toMatch(/^[A-Za-z0-9_.-]{10,4000}$/);
  });

  it('204 without a body while no pass has changed', async () => {
    await phone.list();
    const { status, text, headers } = await app.request('get', path(`?passesUpdatedSince=${phone.tag}`));
    expect([status, text, headers['content-type'], headers['content-length']]).toEqual([204, '', undefined, undefined]);
  });

  it('a pass is listed once after a change of its content, state or template, and once after its deletion', async () => {
    await phone.list();
    for (const [change, reported] of [
      [() => account.patch('offer/ada', { code: 'NEW' }).expect(200), [ada]],
      [() => account.post('offer/bob/void').expect(200), [bob]],
      [() => account.patch('offer/ada/metadata', { metadata: { a: 1 } }).expect(200), []],
      [() => account.archive('offer'), [ada, bob].sort()],
      [() => account.delete('offer/ada').expect(204), [ada]],
      [() => account.unarchive('offer'), [bob]],
    ] as [() => Promise<unknown>, string[]][]) {
      await change();
      expect(await phone.list()).toEqual(reported);
      expect(await phone.list()).toEqual([]);
    }
  });

  it('the service lists a pass that changed before its registration, because the device may have an older version', async () => {
    const changed = await issued(app, account, 'offer/eve');
    const unchanged = await issued(app, account, 'offer/tom');
    await account.patch('offer/eve', { code: 'NEW' }).expect(200);
    // Give the phone a tag that is newer than the change, and so would exclude the change from the list.
    await phone.list();
    for (const serial of [changed, unchanged]) await phone.register(serial).expect(201);
    expect(await phone.list()).toEqual([changed]);
    expect(await phone.list()).toEqual([]);
    await phone.register(changed).expect(200);
    expect(await phone.list()).toEqual([]);
  });

  it('the service lists only changed passes that the device has, across all accounts', async () => {
    const other = await app.account();
    await plainTemplate(app, other);
    const elsewhere = await issued(app, other, 'offer/ada');
    await phone.register(elsewhere).expect(201);
    const neighbour = new Phone(app);
    await neighbour.register(ada).expect(201);
    expect(await phone.list()).toEqual([ada, bob, elsewhere].sort());
    expect(await neighbour.list()).toEqual([ada]);
    await other.patch('offer/ada', { code: 'NEW' }).expect(200);
    expect([await neighbour.list(), await phone.list()]).toEqual([[], [elsewhere]]);
    await phone.unregister(ada).expect(200);
    await account.patch('offer/ada', { code: 'NEW' }).expect(200);
    expect([await neighbour.list(), await phone.list()]).toEqual([[ada], []]);
  });

  it('204 for an unknown device or pass type', async () => {
    const odd = ['d', '%F0%9F%8E%89', "';--", '__proto__', 'x'.repeat(255)];
    for (const name of odd) {
      expect((await app.request('get', `/v1/devices/${name}/registrations/${passType}`)).status).toBe(204);
      const path = `/v1/devices/${phone.deviceLibraryIdentifier}/registrations/${name.repeat(20)}`;
      expect((await app.request('get', path)).status).toBe(204);
    }
    const { status, body } = await app.request('get', `/v1/devices/${'x'.repeat(256)}/registrations/${passType}`);
    expect([status, body.code]).toEqual([400, 'validation_failed']);
  });

  it('the service accepts HEAD, unknown parameters, and paths with a trailing slash or two leading slashes', async () => {
    await phone.list();
    for (const query of [path('/'), `/${path()}`, path('?colour=red&passesUpdatedSinc=1&__x[]=2')]) {
      expect((await app.request('get', query)).status).toBe(200);
    }
    expect((await app.request('head', path())).status).toBe(200);
    expect((await app.request('head', path(`?passesUpdatedSince=${phone.tag}`))).status).toBe(204);
    const twice = path(`?passesUpdatedSince=${phone.tag}&passesUpdatedSince=${phone.tag}`);
    expect((await app.request('get', twice)).body.serialNumbers).toHaveLength(2);
  });

  it('a signed tag that is newer than the database proves a restore; a forged tag does not', async () => {
    const server = async () => {
      const [row] = await database.reads.query<{ server: string | null }[]>('SELECT server FROM incarnation');
      return row?.server ?? null;
    };
    const before = await server();
    try {
      await phone.list();
      const { epoch, snapshot } = decodeTag(phone.tag ?? undefined)!;
      const xmax = Number(snapshot.split(':')[1]) + 100_000;
      const ahead = encodeTag({ epoch, snapshot: `${xmax}:${xmax}:` });
      const otherHistory = encodeTag({ epoch: '0123456789', snapshot: `${xmax}:${xmax}:` });
      for (const tag of [ahead, signTag(ahead, 'x'.repeat(32)), signTag(otherHistory, secret), phone.tag]) {
        await app.request('get', path(`?passesUpdatedSince=${tag}`));
        expect(await server()).toBe(before);
      }
      const { body } = await app.request('get', path(`?passesUpdatedSince=${signTag(ahead, secret)}`));
      expect(body.serialNumbers.sort()).toEqual([ada, bob].sort());
      expect(await server()).toBe('restored');
    } finally {
      await database.reads.query('UPDATE incarnation SET server = $1', [before]);
    }
  });

  it('the service lists all passes for a tag that is invalid, from another database history or from the future', async () => {
    await phone.list();
    const [epoch = '', xmin = '', ...rest] = phone.tag!.split('.');
    const otherEpoch = epoch.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
    for (const tag of [
      '',
      '0',
      '2026-11-20T10:00:00Z',
      'x'.repeat(10_000),
      "';DROP TABLE pass;--",
      '%F0%9F%8E%89',
      'a b+c&d',
      [otherEpoch, xmin, ...rest].join('.'),
      [epoch, 'zzzzzzzz', '0'].join('.'),
      [epoch, xmin, 'zzzzzzzz'].join('.'),
      [epoch, '1z141z4', '1'].join('.'),
      [epoch, xmin, '0', '0'].join('.'),
    ]) {
      const { status, body } = await app.request('get', path(`?passesUpdatedSince=${tag}`));
      expect([tag, status, body.serialNumbers?.length]).toEqual([tag, 200, 2]);
      expect(decodeTag(body.lastUpdated)).not.toBeNull();
    }
  });
});

describe('the query for the list of changed passes', () => {
  const many = `
    INSERT INTO template SELECT $1, 't' || n, 'offer', '', '', '', '', NULL, '{}', false, '[]', '[]', '[]', NULL, NULL,
      NULL, NULL, 1, now(), now() FROM generate_series(1, 3000) n;
    INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations,
      metadata, version, created_at, updated_at)
    SELECT $1, 't' || 1 + n % 3000, 'offer', 'p' || n, $1 || n, 'c' || n, '[]', '[]', '[]', '{}', 1, now(), now()
      FROM generate_series(1, 12000) n;
    INSERT INTO deleted_pass SELECT $1, $1 || n, 't' || 1 + n % 3000, 'p' || n, 'offer', '', now()
      FROM generate_series(12001, 18000) n;
    INSERT INTO apple_device (account_id, id, pass_type_identifier, device_library_identifier, push_token, registered_at)
      SELECT $1, 'd' || n, 'pass.many', $1 || n, 'ab', now() FROM generate_series(1, 6000) n;
    INSERT INTO apple_registration (account_id, device_id, serial_number, template_id, registered_at, seen_at)
      SELECT $1, 'd' || d, $1 || n, 't' || 1 + n % 3000, now(), now()
      FROM generate_series(1, 6000) d, generate_series(3 * d - 2, 3 * d) n`;

  itWithoutPartitions(
    'the query for changed passes reads only indexes and the rows of the device’s passes, however many other passes exist',
    async () => {
      const { reads } = database;
      for (const sql of many.split(';')) await reads.query(sql, [account.id]);
      await vacuumed(reads, 'template', 'pass', 'deleted_pass', 'apple_device', 'apple_registration');
      const device = { passTypeIdentifier: 'pass.many', deviceLibraryIdentifier: `${account.id}1000` };
      const { now, registered } = await app.get(UpdatedPassesRepository).find(device, null);
      expect(registered).toBe(3);
      const values = ['pass.many', `${account.id}1000`, now.snapshot, now.epoch];
      const types = '(text, text, text, text)';
      const literals = values.map((value) => `'${value}'`).join(', ');
      const plans = await database.transaction(async (tx) => {
        await tx.query("SET LOCAL plan_cache_mode = 'force_generic_plan'");
        await tx.query(`PREPARE list ${types} AS ${findUpdated}`);
        const generic = await tx.query(`EXPLAIN (FORMAT JSON) EXECUTE list (${literals})`);
        await tx.query('DEALLOCATE list');
        return [generic, await tx.query(`EXPLAIN (FORMAT JSON) ${findUpdated}`, values)].map((plan) =>
          JSON.stringify(plan),
        );
      });
      for (const plan of plans) {
        const scans = [...plan.matchAll(/"Node Type":"(Index (?:Only )?Scan)"[^{]*?"Index Name":"(\w+)"/g)];
        expect(scans.map(([, type, index]) => `${type} ${index}`).sort()).toEqual([
          'Index Only Scan apple_device_library_idx',
          'Index Only Scan apple_registration_pkey',
          'Index Only Scan deleted_pass_serial_idx',
          'Index Only Scan template_changed_idx',
          // Postgres must read the row to find a change, because an update of a pass does not change its index entries.
          'Index Scan pass_serial_idx',
        ]);
        expect(plan).not.toMatch(/Seq Scan|Hash|Merge|Bitmap|"Sort"/);
      }
    },
  );
});
