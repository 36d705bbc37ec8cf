import { Database } from '@passwright/database';
import { randomId } from '@passwright/core';
import { testDatabase } from '@passwright/testing';
import { DataSource, type EntityManager } from 'typeorm';
import { JobOutboxCron } from './job-outbox.cron.js';
import { Job } from './job.js';
import { Jobs } from './jobs.js';

class Noted extends Job<{ readonly accountId?: string; readonly n: number }> {
  static readonly task = 'test.noted';
  override readonly key: string | undefined;

  constructor(n: number, accountId?: string, key?: string) {
    super({ n, ...(accountId && { accountId }) });
    this.key = key;
  }
}

class Planned extends Job<{ readonly accountId: string }> {
  static readonly task = 'test.planned';
  static readonly runsAtEarliest = true;

  constructor(
    override readonly key: string,
    override readonly runAt: Date,
  ) {
    super({ accountId: key });
  }
}

// The table that `operator database distribute` creates on Citus. When these tests run on Citus, it already exists.
const outboxSql = `CREATE TABLE IF NOT EXISTS job_outbox (account_id text COLLATE "C" NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY, specs json NOT NULL, at_earliest boolean NOT NULL,
  added_at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (account_id, id))`;

let dataSource: DataSource;
let database: Database;
let jobs: Jobs;
let account: string;
beforeAll(async () => {
  const { url } = await testDatabase();
  dataSource = await new DataSource({ type: 'postgres', url, poolSize: 3 }).initialize();
  await dataSource.query(outboxSql);
  database = new Database(dataSource, null, null, true);
  jobs = new Jobs(database);
});
beforeEach(() => {
  account = `acc_${randomId()}`;
});
afterAll(() => dataSource.destroy());

const add = (...all: Job[]) => database.transaction((tx) => jobs.addMany(tx, all));

async function queued(manager: EntityManager = dataSource.manager): Promise<number[]> {
  const rows = await manager.query<{ n: number }[]>(
    `SELECT (payload ->> 'n')::int AS n FROM graphile_worker._private_jobs WHERE payload ->> 'accountId' = $1 ORDER BY id`,
    [account],
  );
  return rows.map(({ n }) => n);
}

async function held(): Promise<number> {
  const rows = await dataSource.query<object[]>('SELECT FROM job_outbox WHERE account_id = $1', [account]);
  return rows.length;
}

/** Leaves a job in the outbox, like a process that dies after its commit. */
const leave = (...all: Job[]) => dataSource.transaction((tx) => jobs.addMany(tx, all));

const age = (seconds: number) =>
  dataSource.query(`UPDATE job_outbox SET added_at = now() - make_interval(secs => $2) WHERE account_id = $1`, [
    account,
    seconds,
  ]);

it('a job waits in the outbox until its change has committed, and is then only in the queue', async () => {
  await database.transaction(async (tx) => {
    await jobs.add(tx, new Noted(1, account));
    expect(await queued(tx)).toEqual([]);
  });
  expect([await queued(), await held()]).toEqual([[1], 0]);
});

it('the jobs of one transaction keep their order', async () => {
  await database.transaction(async (tx) => {
    for (const n of [1, 2, 3]) await jobs.add(tx, new Noted(n, account));
  });
  expect(await queued()).toEqual([1, 2, 3]);
});

it('the jobs of all joined transactions are in the queue once the outermost transaction has ended', async () => {
  await database.inOneTransaction(async () => {
    await add(new Noted(1, account));
    await add(new Noted(2, account));
    expect(await queued()).toEqual([]);
  });
  expect([await queued(), await held()]).toEqual([[1, 2], 0]);
});

it('a change that is rolled back leaves no job', async () => {
  const failed = database.transaction(async (tx) => {
    await jobs.add(tx, new Noted(1, account));
    throw new Error('no change');
  });
  await expect(failed).rejects.toThrow('no change');
  expect([await queued(), await held()]).toEqual([[], 0]);
});

it('a savepoint that is rolled back leaves no job', async () => {
  await database.inOneTransaction(async () => {
    await add(new Noted(1, account));
    await database
      .transaction(async (tx) => {
        await jobs.add(tx, new Noted(2, account));
        throw new Error('undo');
      })
      .catch(() => undefined);
  });
  expect([await queued(), await held()]).toEqual([[1], 0]);
});

it('a job without an account goes into the queue within the transaction', async () => {
  await database.transaction(async (tx) => {
    await jobs.add(tx, new Noted(7, undefined, account));
    const rows = await tx.query(`SELECT FROM graphile_worker._private_jobs WHERE key = $1`, [`test.noted:${account}`]);
    expect(rows).toHaveLength(1);
  });
});

it('jobs with a key merge in the queue, at the earliest of their times', async () => {
  const hour = (n: number) => new Date(Date.UTC(2040, 0, 1, n));
  await add(new Planned(account, hour(5)), new Planned(account, hour(3)));
  await add(new Planned(account, hour(9)));
  const sql = `SELECT run_at FROM graphile_worker._private_jobs WHERE key = $1`;
  expect(await dataSource.query(sql, [`test.planned:${account}`])).toEqual([{ run_at: hour(3) }]);
});

it('the schedule moves jobs that were left in the outbox, but not jobs that a process is still moving', async () => {
  const cron = new JobOutboxCron(database);
  await leave(new Noted(1, account), new Noted(2, account));
  await cron.empty();
  expect([await queued(), await held()]).toEqual([[], 1]);
  await age(40);
  await cron.empty();
  expect([await queued(), await held()]).toEqual([[1, 2], 0]);
});

it('a transaction commits even if the queue is unavailable, and the schedule moves its jobs later', async () => {
  await dataSource.query('ALTER FUNCTION graphile_worker.add_jobs RENAME TO no_add_jobs');
  await add(new Noted(1, account)).finally(() =>
    dataSource.query('ALTER FUNCTION graphile_worker.no_add_jobs RENAME TO add_jobs'),
  );
  expect([await queued(), await held()]).toEqual([[], 1]);
  await age(40);
  await new JobOutboxCron(database).empty();
  expect([await queued(), await held()]).toEqual([[1], 0]);
});
