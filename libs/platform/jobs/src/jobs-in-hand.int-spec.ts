import { EventEmitter } from 'node:events';
import { Logger } from '@nestjs/common';
import { FixedClock, MemoryStorage, testDatabase } from '@passwright/testing';
import type { WorkerEvents } from 'graphile-worker';
import { Pool, type PoolClient } from 'pg';
import { JobsInHand } from './jobs-in-hand.js';
import { StoppedWorkers } from './stopped-workers.js';

const WORKER = 'pool-of-this-process';

let pool: Pool;
let client: PoolClient;
let events: WorkerEvents;
let inHand: JobsInHand;
let storage: MemoryStorage;

beforeAll(async () => {
  pool = new Pool({ connectionString: (await testDatabase()).url, max: 2 });
  client = await pool.connect();
});
beforeEach(async () => {
  await client.query('DELETE FROM graphile_worker._private_jobs');
  const logger = new Logger('Jobs');
  storage = new MemoryStorage();
  inHand = new JobsInHand(pool, new StoppedWorkers(storage, new FixedClock(), logger), logger);
  events = new EventEmitter();
  inHand.watch(events);
  events.emit('pool:create', { workerPool: { id: WORKER } } as never);
});
afterAll(async () => {
  client.release();
  await pool.end();
});

/** Adds a job that no worker has locked. */
async function added(): Promise<string> {
  const { rows } = await client.query<{ id: string }>(`SELECT id FROM graphile_worker.add_job('test.errand')`);
  return rows[0]?.id ?? '';
}

/**
 * Locks a job for this worker as graphile-worker does.
 * @param at the time of the lock, as SQL.
 * @returns the time
 */
async function lock(id: string, at = 'now()'): Promise<Date | undefined> {
  const { rows } = await client.query<{ locked_at: Date }>(
    `UPDATE graphile_worker._private_jobs SET attempts = attempts + 1, locked_at = ${at}, locked_by = $2
      WHERE id = $1 RETURNING locked_at`,
    [id, WORKER],
  );
  return rows[0]?.locked_at;
}

/** Adds a job that this worker has begun, and reports its end only if `hasEnded`. */
async function begun(hasEnded: boolean): Promise<string> {
  const id = await added();
  const told = { job: { id, locked_at: await lock(id) }, worker: { workerPool: { id: WORKER } } };
  for (const event of hasEnded ? (['job:start', 'job:complete'] as const) : (['job:start'] as const))
    events.emit(event, told as never);
  return id;
}

async function stateOf(id: string): Promise<object | undefined> {
  const { rows } = await client.query<object>(
    `SELECT attempts, locked_by, run_at <= now() AS due FROM graphile_worker._private_jobs WHERE id = $1`,
    [id],
  );
  return rows[0];
}

it('JobsInHand returns an ended job to the queue if its end could not be stored', async () => {
  const id = await begun(true);
  await inHand.confirm(client);
  await inHand.giveBack();
  expect(await stateOf(id)).toEqual({ attempts: 0, locked_by: null, due: true });
});

it('a stop does not change a job whose end is stored, even if another worker now runs it', async () => {
  const id = await begun(true);
  await client.query(`UPDATE graphile_worker._private_jobs SET locked_by = 'pool-of-another' WHERE id = $1`, [id]);
  await inHand.confirm(client);
  await inHand.giveBack();
  expect(await stateOf(id)).toEqual({ attempts: 1, locked_by: 'pool-of-another', due: true });
});

it('JobsInHand releases an ended job that the database has locked again, if the process never learned of the new lock', async () => {
  const id = await begun(true);
  await client.query('UPDATE graphile_worker._private_jobs SET locked_at = NULL, locked_by = NULL WHERE id = $1', [id]);
  await lock(id, "now() + interval '1 s'");
  await inHand.confirm(client);
  expect(await stateOf(id)).toEqual({ attempts: 2, locked_by: WORKER, due: true });
  await inHand.confirm(client);
  expect(await stateOf(id)).toEqual({ attempts: 1, locked_by: null, due: true });
});

it('JobsInHand keeps a running job, however often it asks the database', async () => {
  const id = await begun(false);
  for (let looks = 0; looks < 3; looks++) await inHand.confirm(client);
  expect(await stateOf(id)).toEqual({ attempts: 1, locked_by: WORKER, due: true });
});

it('JobsInHand releases a job that the database has locked for this process, even if the process does not know of the lock', async () => {
  const id = await added();
  await lock(id);
  await inHand.giveBack();
  expect(await stateOf(id)).toEqual({ attempts: 0, locked_by: null, due: true });
});

it('JobsInHand writes a note only about workers that hold locked jobs', async () => {
  events.emit('pool:create', { workerPool: { id: 'idle-pool-of-this-process' } } as never);
  const id = await added();
  await lock(id);
  await inHand.confirm(client);
  await inHand.note();
  expect([...storage.blobs.keys()]).toEqual([`stopped-workers/${WORKER}`]);
});

it('JobsInHand returns a job that still runs after the stop to the queue, and the job starts again later', async () => {
  const id = await begun(false);
  await inHand.giveBack();
  expect(await stateOf(id)).toEqual({ attempts: 0, locked_by: null, due: false });
});
