import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger, type INestApplicationContext, type Type } from '@nestjs/common';
import { Scheduled } from '@passwright/core';
import { jobsIdle, testDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { DatabaseClock } from '@passwright/database';
import { CLAIMANT_LOCKS, hasDied } from './outbound/claimant.service.js';
import { DatabaseWay } from './database-way.fixtures.js';
import { Attempt, Errand, type Errands, startApp, WebhookErrand } from './jobs.fixtures.js';
import { JobWorker } from './job-worker.js';
import { Jobs } from './jobs.js';

const SOURCES = join(__dirname, '../../../testing/jest/typescript-sources.cjs');
const ABANDONED_AFTER_MS = 1500;

let url: string;
let dataSource: DataSource;
const jobs = new Jobs();
const open: INestApplicationContext[] = [];
const children: ChildProcess[] = [];

beforeAll(async () => {
  ({ url } = await testDatabase());
  dataSource = await new DataSource({ type: 'postgres', url, poolSize: 3 }).initialize();
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await Promise.all(open.splice(0).map((app) => app.close()));
  await dataSource.query(`DELETE FROM graphile_worker._private_jobs WHERE task_id IN
    (SELECT id FROM graphile_worker._private_tasks WHERE identifier LIKE 'test.%')`);
});
afterAll(() => dataSource.destroy());

async function running(
  options = {},
  ...providers: Type[]
): Promise<{ app: INestApplicationContext; errands: Errands }> {
  const started = await startApp(
    { url, abandonedAfterMs: ABANDONED_AFTER_MS, stopWithinMs: 300, ...options },
    ...providers,
  );
  open.push(started.app);
  return started;
}

async function stop(app: INestApplicationContext): Promise<void> {
  open.splice(open.indexOf(app), 1);
  await app.close();
}

/** Starts a separate process, and returns it once it accepts jobs. */
async function childProcess(): Promise<ChildProcess> {
  const child = fork(join(__dirname, 'crashing-process.fixtures.ts'), [url], { execArgv: ['-r', SOURCES] });
  children.push(child);
  expect((await once(child, 'message'))[0]).toBe('ready');
  return child;
}

const add = (...all: (Errand | Attempt)[]) => dataSource.transaction((tx) => jobs.addMany(tx, all));
const rest = (timeoutMs?: number) => jobsIdle(url, { tasks: [Errand.task, Attempt.task], timeoutMs });
const queued = () =>
  dataSource.query<{ id: string; attempts: number; locked: boolean; due: boolean }[]>(
    `SELECT job.id, attempts, locked_at IS NOT NULL AS locked, is_available AND run_at <= now() AS due
       FROM graphile_worker._private_jobs job JOIN graphile_worker._private_tasks task ON task.id = job.task_id
      WHERE task.identifier LIKE 'test.%' ORDER BY job.id`,
  );

const queuedNames = async () =>
  (
    await dataSource.query<{ name: string }[]>(`SELECT payload->>'name' AS name FROM graphile_worker._private_jobs`)
  ).map(({ name }) => name);

describe('a killed process', () => {
  it('another process runs the job of a killed process within seconds', async () => {
    const child = await childProcess();
    await add(new Errand('survives', 'heed'));
    expect((await once(child, 'message'))[0]).toBe('survives');
    const { app, errands } = await running();
    child.kill('SIGKILL');
    await errands.until(() => errands.begun.includes('survives'));
    await stop(app);
    expect(await queued()).toMatchObject([{ attempts: 1, locked: false, due: true }]);
  });

  it('another process runs the methods that are scheduled after a death', async () => {
    const seen: boolean[] = [];
    const hasDiedSql = (key: number) => `SELECT ${hasDied(`${key}`)} AS died`;
    const died = async (key: number) => (await dataSource.query<{ died: boolean }[]>(hasDiedSql(key)))[0]?.died;
    class Deaths {
      @Scheduled({ name: 'test.after-death', after: 'process died', lane: 'looks' })
      afterDeath(): Promise<void> {
        seen.push(true);
        return Promise.resolve();
      }
    }
    const child = await childProcess();
    await add(new Errand('survives', 'heed'));
    await once(child, 'message');
    const [shown] = await dataSource.query<{ key: number }[]>(
      `SELECT objid::int AS key FROM pg_locks WHERE locktype = 'advisory' AND classid = ${CLAIMANT_LOCKS}
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    expect(await died(shown?.key ?? 0)).toBe(false);
    const { errands } = await running({}, Deaths);
    expect(seen).toEqual([]);
    child.kill('SIGKILL');
    await errands.until(() => errands.begun.includes('survives'));
    while (seen.length === 0) await pause(20);
    expect(await died(shown?.key ?? 0)).toBe(true);
  });

  it('a job of a killed process is deleted if a later job has taken its key', async () => {
    const child = await childProcess();
    await add(new Errand('old', 'heed', 'key'));
    await once(child, 'message');
    await add(new Errand('new', undefined, 'key', new Date(Date.now() + 2000)));
    const { errands } = await running();
    child.kill('SIGKILL');
    await errands.until(() => errands.begun.includes('new'));
    while ((await queued()).length > 0) await pause(20);
    expect(errands.begun).toEqual(['new']);
  });

  it('a job whose worker is gone fails for good after its last attempt, and the failure is logged', async () => {
    const error = jest.spyOn(Logger.prototype, 'error');
    const [gone] = await dataSource.query<{ id: string }[]>(
      `SELECT id FROM graphile_worker.add_job($1, payload := '{"name":"secret"}', max_attempts := 1)`,
      [Attempt.task],
    );
    await dataSource.query(
      `UPDATE graphile_worker._private_jobs SET attempts = 1, locked_at = now(), locked_by = 'pool-gone' WHERE id = $1`,
      [gone?.id],
    );
    await running();
    const reported = () =>
      error.mock.calls.map(([message]) => String(message)).filter((text) => text.includes('for good'));
    while (reported().length === 0) await pause(20);
    expect(reported()).toEqual([
      `Job ${Attempt.task} (${gone?.id}) has failed for good: its last worker disappeared before the job ended`,
    ]);
    expect(await queued()).toMatchObject([{ locked: false }]);
    error.mockRestore();
  });

  it('a worker ignores a locked job of other software', async () => {
    const [foreign] = await dataSource.query<{ id: string }[]>(
      `SELECT id FROM graphile_worker.add_job('test.foreign')`,
    );
    const [ours] = await dataSource.query<{ id: string }[]>(
      `SELECT id FROM graphile_worker.add_job($1, payload := '{"name":"ours"}')`,
      [Errand.task],
    );
    for (const [id, worker] of [
      [foreign?.id, 'pool-foreign'],
      [ours?.id, 'pool-ours'],
    ]) {
      await dataSource.query(
        'UPDATE graphile_worker._private_jobs SET locked_at = now(), locked_by = $2 WHERE id = $1',
        [id, worker],
      );
    }
    const { errands } = await running();
    await errands.until(() => errands.begun.includes('ours'));
    await rest();
    expect(await queued()).toMatchObject([{ id: foreign?.id, locked: true }]);
  });
});

describe('a worker whose connections break', () => {
  const cut = () =>
    dataSource.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name LIKE 'passwright %' AND pid <> pg_backend_pid()`,
    );

  it('a worker whose connections break keeps its running job, and no other worker begins that job', async () => {
    // Allow more time than other tests, because connecting again takes long on a busy machine.
    const abandonedAfterMs = 4 * ABANDONED_AFTER_MS;
    const one = await running({ abandonedAfterMs });
    await add(new Errand('long', 'heed'));
    await one.errands.until(() => one.errands.begun.length === 1);
    const other = await running({ abandonedAfterMs });
    for (let times = 0; times < 3; times++) {
      await cut();
      // Wait in real time, because other workers may take the job after `abandonedAfterMs` without a connection.
      await pause(abandonedAfterMs / 2);
    }
    expect(one.errands.aborted).toEqual([]);
    expect(other.errands.begun).toEqual([]);
    expect(await queued()).toMatchObject([{ locked: true, attempts: 1 }]);
  });

  it('a worker whose connections break accepts further jobs and finishes them', async () => {
    const { errands } = await running();
    await cut();
    await add(...Array.from({ length: 20 }, (_, index) => new Errand(`${index}`)));
    await rest();
    expect(new Set(errands.begun).size).toBe(20);
    expect(await queued()).toEqual([]);
  });
});

describe('a worker that loses the database', () => {
  let way: DatabaseWay;
  beforeEach(async () => {
    way = await DatabaseWay.open(url);
  });
  afterEach(() => way.close());

  it.each(['cut', 'silence'] as const)(
    'a worker that loses the database releases its jobs, and resumes later (%s)',
    async (how) => {
      const one = await running({ url: way.url });
      await add(new Errand('long', 'heed'));
      await one.errands.until(() => one.errands.begun.length === 1);
      const other = await running();
      way[how]();
      await one.errands.until(() => one.errands.aborted.length === 1);
      expect(other.errands.begun).toEqual([]);
      if (how === 'cut') await other.errands.until(() => other.errands.begun.length === 1);
      await stop(other.app);
      way.mend();
      await one.errands.until(() => one.errands.begun.length === 2);
      await stop(one.app);
    },
  );
});

it('a lane whose connection breaks aborts its slow jobs and soon runs new jobs', async () => {
  const way = await DatabaseWay.open(url);
  const { app, errands } = await running({ url: way.url });
  const addToLane = (name: string, how?: 'heed') =>
    dataSource.transaction((tx) => jobs.addMany(tx, [new WebhookErrand({ name, how })]));
  await addToLane('slow', 'heed');
  await errands.until(() => errands.begun.includes('slow'));
  const result = way.hold('delete from');
  await addToLane('quick');
  (await result).lose();
  await errands.until(() => errands.aborted.includes('slow'));
  await addToLane('next');
  await errands.until(() => errands.begun.includes('next'));
  await errands.until(() => errands.begun.filter((name) => name === 'slow').length === 2);
  while ((await queued()).length > 1) await pause(20);
  expect(await queued()).toMatchObject([{ attempts: 1, locked: true }]);
  await stop(app);
  way.close();
});

it.each(['fails too', 'succeeds'])(
  'a lane runs jobs again after one result could not be written and the next write %s, even while a slow job runs',
  async (next) => {
    const way = await DatabaseWay.open(url);
    const { app, errands } = await running({ url: way.url });
    const addToLane = (name: string, how?: 'late') =>
      dataSource.transaction((tx) => jobs.addMany(tx, [new WebhookErrand({ name, how })]));
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const lost = () => warn.mock.calls.filter(([message]) => /^A connection of the queue/.test(String(message))).length;
    await addToLane('slow', 'late');
    await errands.until(() => errands.begun.includes('slow'));
    const first = way.hold('delete from');
    await addToLane('first');
    const firstResult = await first;
    const second = way.hold('delete from');
    await addToLane('second');
    const secondResult = await second;
    firstResult.lose();
    await errands.until(() => errands.aborted.includes('slow'));
    if (next === 'succeeds') secondResult.forward();
    else secondResult.lose();
    const isSettled = async () => (next === 'succeeds' ? !(await queuedNames()).includes('second') : lost() >= 2);
    while (!(await isSettled())) await pause(20);
    errands.endLate();
    await addToLane('next');
    await errands.until(() => errands.begun.includes('next'));
    warn.mockRestore();
    await stop(app);
    way.close();
  },
);

it('a shutdown during the restart of a worker also stops the new worker', async () => {
  const way = await DatabaseWay.open(url);
  const { app, errands } = await running({ url: way.url });
  await add(new Errand('long', 'heed'));
  await errands.until(() => errands.begun.length === 1);
  const start = JobWorker.start.bind(JobWorker);
  // Make the database available when the worker ends by itself, so that it can return its job.
  jest.spyOn(Logger.prototype, 'error').mockImplementation((message) => {
    if (/^Failed to fail jobs/.test(String(message))) way.mend();
  });
  let begin: () => void = () => undefined;
  const mayStart = new Promise<void>((resolve) => (begin = resolve));
  const starts = new Promise<void>((resolve) => {
    jest.spyOn(JobWorker, 'start').mockImplementation(async (options) => {
      resolve();
      await mayStart;
      return start(options);
    });
  });
  way.cut();
  await starts;
  const stopped = stop(app);
  begin();
  await stopped;
  await add(new Errand('late'));
  jest.restoreAllMocks();
  expect(errands.begun).toEqual(['long']);
  expect((await queued()).map(({ locked }) => locked)).toEqual([false, false]);
  way.close();
});

it("JobWorker sets no timer that overflows when the node's clock goes back by 40 days", async () => {
  const now = Date.now.bind(Date);
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() - 40 * 86_400_000);
  const timers = jest.spyOn(globalThis, 'setTimeout');
  const { errands } = await running();
  await add(new Errand('works'));
  await errands.until(() => errands.begun.includes('works'));
  await rest();
  expect(timers.mock.calls.filter(([, ms]) => (ms ?? 0) >= 2 ** 31)).toEqual([]);
  timers.mockRestore();
  clock.mockRestore();
});

describe('a wrong clock', () => {
  it('webhook jobs wait while the clock of the node is wrong, but other jobs run', async () => {
    let isRight = false;
    let spy: jest.SpyInstance | undefined;
    const asked = new Promise<void>((resolve) => {
      spy = jest.spyOn(DatabaseClock.prototype, 'isRight', 'get').mockImplementation(() => {
        resolve();
        return isRight;
      });
    });
    const { errands } = await running();
    await asked;
    await dataSource.transaction((tx) => jobs.addMany(tx, [new WebhookErrand({ name: 'webhook' })]));
    await add(new Errand('other'));
    await errands.until(() => errands.begun.includes('other'));
    expect(errands.begun).toEqual(['other']);
    isRight = true;
    await errands.until(() => errands.begun.includes('webhook'));
    spy?.mockRestore();
  });
});

describe('shutdown', () => {
  it('a job that ends because of a shutdown returns to the queue, and its attempt does not count', async () => {
    const { app, errands } = await running();
    await add(new Errand('long', 'heed'));
    await errands.until(() => errands.begun.length === 1);
    await stop(app);
    expect(errands.aborted).toEqual(['long']);
    expect(await queued()).toMatchObject([{ attempts: 0, locked: false, due: true }]);
  });

  it('a job that ignores the signal at shutdown is abandoned after a while and runs again later', async () => {
    const { app, errands } = await running();
    await add(new Errand('deaf', 'stay'));
    await errands.until(() => errands.begun.length === 1);
    await stop(app);
    expect(await queued()).toMatchObject([{ attempts: 1, locked: false, due: false }]);
  });

  it('a stopped worker begins no job and leaves no connection open', async () => {
    const { app } = await running();
    await stop(app);
    await add(new Errand('late'));
    const sessions = `SELECT FROM pg_stat_activity WHERE datname = current_database()
      AND application_name LIKE 'passwright %' AND application_name NOT LIKE '%idle'`;
    // Wait until all server processes have ended, because they outlive their closed connections for a moment.
    while ((await dataSource.query<unknown[]>(sessions)).length > 0);
    expect(await queued()).toMatchObject([{ locked: false, attempts: 0 }]);
  });
});
