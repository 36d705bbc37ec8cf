import { Database } from '@passwright/database';
import { TestApp } from '../test-app.fixtures.js';
import { PassDevicesService } from './pass-devices.service.js';
import { formerSql, installedSql, linesSql } from './pass-devices.repository.js';

/** Skips a test of query plans if PARTITIONS is set, because Postgres scans small partitions completely. */
const itWithoutPartitions = process.env.PARTITIONS ? it.skip : it;

let app: TestApp;

beforeAll(async () => (app = await TestApp.start()));
afterAll(() => app.stop());

const db = () => app.get(Database).reads;

itWithoutPartitions('the service uses indexes to read many devices and log lines in order', async () => {
  const account = await app.account();
  await account.template('offer');
  await account.post('offer/ada', { code: 'ADA' }).expect(200);
  const sql = 'SELECT serial_number AS serial FROM pass WHERE account_id = $1';
  const [row] = await db().query<{ serial: string }[]>(sql, [account.id]);
  const { serial } = row!;
  const values = [account.id, serial, app.clock.now()];
  await db().query(
    `INSERT INTO apple_device (account_id, id, pass_type_identifier, device_library_identifier, push_token, registered_at)
     SELECT $1, 'x' || n, 'p', $1 || $2 || n, 't', $3 FROM generate_series(1, 5000) n`,
    values,
  );
  await db().query(
    `INSERT INTO apple_registration (account_id, device_id, serial_number, template_id, registered_at, seen_at)
     SELECT $1, 'x' || n, CASE other WHEN 0 THEN $2 ELSE 'other' || n || '-' || other END, 'offer', $3, $3
     FROM generate_series(1, 5000) n, generate_series(0, 3) other`,
    values,
  );
  await db().query(
    `INSERT INTO apple_former_registration (account_id, serial_number, device_id, reason, left_at)
     SELECT $1, CASE n % 100 WHEN 0 THEN $2 ELSE 'other' || n END, 'y' || n, 'gone', $3 FROM generate_series(1, 5000) n`,
    values,
  );
  await db().query('ANALYZE apple_device, apple_registration, apple_former_registration');
  const page = [account.id, serial, 'x2', 21];
  for (const [statement, parameters, index] of [
    [installedSql, [...page, app.clock.now()], 'apple_registration_serial_idx'],
    [formerSql, page, 'apple_former_registration_pkey'],
    [linesSql, [account.id, serial, 50], 'apple_log_line_pkey'],
  ] as const) {
    const plan = JSON.stringify(await db().query(`EXPLAIN (FORMAT JSON) ${statement}`, [...parameters]));
    expect(plan).toContain(`"Index Name":"${index}"`);
    // Ignore other tables, because their size depends on other specs.
    expect(plan).not.toMatch(/"Node Type":"Seq Scan"[^{}]*"Relation Name":"apple_/);
  }
});

it('the export of the devices of a pass leaves out the identifiers that log lines contain', async () => {
  const { id } = await app.account();
  const line = (device: string) =>
    `[2026-11-20] Register task (for device ${device}, pass type p, serial number s) failed`;
  await db().query(
    `INSERT INTO apple_log_line (account_id, serial_number, id, line, received_at) VALUES ($1, 's', '1', $2, $3)`,
    [id, line('c0ffee11c0ffee11'), app.clock.now()],
  );
  const { log } = await app.get(PassDevicesService).export(id, 's');
  expect(log).toMatchObject([{ line: line('…') }]);
});

it('the service counts each device of a template once, and reads no more registrations than allowed', async () => {
  const { id } = await app.account();
  await db().query(
    `INSERT INTO apple_device (account_id, id, pass_type_identifier, device_library_identifier, push_token, registered_at)
     SELECT $1, 'd' || n, 'p', $1 || n, 't', $2 FROM generate_series(1, 2) n`,
    [id, app.clock.now()],
  );
  await db().query(
    `INSERT INTO apple_registration (account_id, device_id, serial_number, template_id, registered_at, seen_at)
     SELECT $1, 'd' || device, 's' || serial, 'offer', $2, $2 FROM generate_series(1, 2) device, generate_series(1, 5) serial`,
    [id, app.clock.now()],
  );
  const count = (most: number) => app.get(PassDevicesService).countHolding(id, { templateId: 'offer' }, most);
  expect(await count(11)).toEqual({ count: 2, isAtLeast: false });
  expect(await count(1)).toEqual({ count: 1, isAtLeast: true });
});
