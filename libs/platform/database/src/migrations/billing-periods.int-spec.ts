import { emptyDatabase, type TestDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { BillingPeriods1765800000000 } from './1765800000000-billing-periods.js';
import { migrations } from './index.js';

/** A database with the schema before the migration under test. */
let database: TestDatabase;
let dataSource: DataSource;

beforeEach(async () => {
  database = await emptyDatabase();
  const first = migrations.indexOf(BillingPeriods1765800000000);
  dataSource = new DataSource({ type: 'postgres', url: database.url, migrations: migrations.slice(0, first) });
  await dataSource.initialize();
  await dataSource.runMigrations({ transaction: 'each' });
});
afterEach(async () => {
  await dataSource.destroy();
  await database.drop();
});

async function move(direction: 'up' | 'down'): Promise<void> {
  const runner = dataSource.createQueryRunner();
  await runner.startTransaction();
  await new BillingPeriods1765800000000()[direction](runner);
  await runner.commitTransaction();
  await runner.release();
}

/** Creates an account with a template and a subscription that began on 31 January. */
async function createAccount(): Promise<void> {
  await dataSource.query(`INSERT INTO account (id, name, created_at) VALUES ('acc_1', 'One', '2026-01-01')`);
  await dataSource.query(
    `INSERT INTO billing (account_id, plan_id, status, current_period_start, current_period_end, period,
       max_pass_creations, operator_settings, updated_at)
     VALUES ('acc_1', 'pro', 'active', '2026-01-31T10:00:00Z', '2026-02-28T10:00:00Z', 'month', 100, '{}', now())`,
  );
  await dataSource.query(
    `INSERT INTO template (account_id, id, type, title, issuer_name, foreground_color, background_color, images,
       sharing_prohibited, locations, fields, back_fields, revision, created_at, updated_at)
     VALUES ('acc_1', 't', 'offer', 'T', 'I', '#fff', '#000', '{}', false, '[]', '[]', '[]', 1, now(), now())`,
  );
}

async function createPass(id: string, at: Date): Promise<void> {
  await dataSource.query(
    `INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations,
       metadata, version, created_at, updated_at)
     VALUES ('acc_1', 't', 'offer', $1, $1, $1, '[]', '[]', '[]', '{}', 1, $2, $2)`,
    [id, at],
  );
}

async function currentPeriod(): Promise<{ starts: Date; created: number }> {
  const [period] = await dataSource.query<[{ starts: Date; created: number }]>(
    `SELECT p.starts, (SELECT coalesce(sum(created), 0)::int FROM pass_creation
       WHERE account_id = 'acc_1' AND counted_from >= p.starts AND counted_from < p.ends) AS created
     FROM account_period('acc_1', now()) AS p`,
  );
  return period;
}

it('the migration counts the passes of the current period again if the beginning of the period has moved', async () => {
  await createAccount();
  const { starts: before } = await currentPeriod();
  expect(before.getUTCDate()).toBe(28);
  await move('up');
  const { starts } = await currentPeriod();
  expect(new Date(starts.getTime() + 86_400_000).getUTCDate()).toBe(1);
  await move('down');
  for (const [id, ms] of Object.entries({ a: -2, b: -1, c: 0, d: 1, e: 2 })) {
    await createPass(id, new Date(starts.getTime() + ms));
  }
  await move('up');
  expect(await currentPeriod()).toEqual({ starts, created: 3 });
  await move('down');
  expect((await currentPeriod()).starts).toEqual(before);
});
