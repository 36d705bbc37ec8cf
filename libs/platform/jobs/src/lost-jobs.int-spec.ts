import { setTimeout as pause } from 'node:timers/promises';
import { testDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { DatabaseWay } from './database-way.fixtures.js';
import type { Job } from './job.js';
import { Errand, type Errands, startApp, WebhookErrand } from './jobs.fixtures.js';
import { JobsInHand } from './jobs-in-hand.js';
import { Jobs } from './jobs.js';

let url: string;
let dataSource: DataSource;
let way: DatabaseWay;
const jobs = new Jobs();

beforeAll(async () => {
  ({ url } = await testDatabase());
  dataSource = await new DataSource({ type: 'postgres', url, poolSize: 3 }).initialize();
});
beforeEach(async () => {
  way = await DatabaseWay.open(url);
});
afterEach(async () => {
  way.close();
  await dataSource.query('DELETE FROM graphile_worker._private_jobs');
});
afterAll(() => dataSource.destroy());

const start = (abandonedAfterMs = 1500) => startApp({ url: way.url, abandonedAfterMs, stopWithinMs: 300 });
const add = (...all: Job[]) => dataSource.transaction((tx) => jobs.addMany(tx, all));
const queued = () =>
  dataSource.query<object[]>(
    `SELECT payload->>'name' AS name, attempts, locked_by IS NOT NULL AS locked, run_at <= now() AS due
       FROM graphile_worker._private_jobs ORDER BY id`,
  );
/** Resolves after the worker has compared its jobs with the database this many times. */
async function comparisons(times: number): Promise<void> {
  const confirmed = jest.spyOn(JobsInHand.prototype, 'confirm');
  while (confirmed.mock.results.length <= times) await pause(20);
  confirmed.mockRestore();
}

/** Starts a process that never learns of a job that the database has locked for it. */
async function losesAJob(job: Errand, abandonedAfterMs?: number) {
  const held = way.hold(job.payload.name);
  const started = await start(abandonedAfterMs);
  await add(job);
  const response = await held;
  expect(await queued()).toEqual([{ name: job.payload.name, attempts: 1, locked: true, due: true }]);
  response.lose();
  return started;
}

it('a worker runs a job even if the response that assigned it was lost', async () => {
  const { app, errands } = await losesAJob(new Errand('lost', 'heed'));
  await errands.until(() => errands.begun.includes('lost'));
  expect(await queued()).toEqual([{ name: 'lost', attempts: 1, locked: true, due: true }]);
  expect(await dataSource.query('SELECT id FROM suspect_job')).toEqual([]);
  await app.close();
});

it('a stopping worker returns a job whose assignment it never received, and does not count the attempt', async () => {
  const { app, errands } = await losesAJob(new Errand('lost'), 60_000);
  await app.close();
  expect(errands.begun).toEqual([]);
  expect(await queued()).toEqual([{ name: 'lost', attempts: 0, locked: false, due: true }]);
});

describe('a job that the worker holds', () => {
  const emptied = async (errands: Errands) => {
    while ((await queued()).length > 0) await pause(20);
    return errands.begun;
  };

  it('a worker keeps a job whose assignment is still on its way', async () => {
    const held = way.hold('late');
    const { app, errands } = await start();
    await add(new Errand('late'));
    const response = await held;
    await comparisons(4);
    expect(await queued()).toEqual([{ name: 'late', attempts: 1, locked: true, due: true }]);
    response.forward();
    expect(await emptied(errands)).toEqual(['late']);
    await app.close();
  });

  it('a worker keeps a running job even if the assignment of another job is lost', async () => {
    const { app, errands } = await start();
    await add(new Errand('long', 'heed'));
    await errands.until(() => errands.begun.includes('long'));
    const held = way.hold('lost');
    await add(new WebhookErrand({ name: 'lost' }));
    (await held).lose();
    await errands.until(() => errands.begun.includes('lost'));
    await comparisons(4);
    expect(await queued()).toEqual([{ name: 'long', attempts: 1, locked: true, due: true }]);
    expect(errands.begun).toEqual(['long', 'lost']);
    await app.close();
  });

  it('a worker keeps an ended job until the database has stored its end', async () => {
    const held = way.hold('complete_job/');
    const { app, errands } = await start();
    await add(new Errand('done'));
    const request = await held;
    await comparisons(4);
    expect(await queued()).toEqual([{ name: 'done', attempts: 1, locked: true, due: true }]);
    request.forward();
    expect(await emptied(errands)).toEqual(['done']);
    await app.close();
  });
});
