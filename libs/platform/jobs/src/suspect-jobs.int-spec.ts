import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { MemoryStorage, testDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { DatabaseWay } from './database-way.fixtures.js';
import { Errand, startApp, SuspectErrands } from './jobs.fixtures.js';
import { Jobs } from './jobs.js';
import { keyedIdentity } from './suspect-jobs.js';

const SOURCES = join(__dirname, '../../../testing/jest/typescript-sources.cjs');

let url: string;
let dataSource: DataSource;
const jobs = new Jobs();

beforeAll(async () => {
  ({ url } = await testDatabase());
  dataSource = await new DataSource({ type: 'postgres', url, poolSize: 3 }).initialize();
});
beforeEach(() => dataSource.query('DELETE FROM suspect_job'));
afterAll(() => dataSource.destroy());

const add = (...all: Errand[]) => dataSource.transaction((tx) => jobs.addMany(tx, all));
const waiting = () =>
  dataSource.query<{ name: string }[]>(
    `SELECT job.payload->>'name' AS name FROM graphile_worker._private_jobs job
       JOIN graphile_worker._private_tasks task ON task.id = job.task_id WHERE task.identifier = ANY ($1)`,
    [[Errand.task, SuspectErrands.task]],
  );

/**
 * Starts processes one after the other until the queue is empty.
 * @returns how many of them died
 */
async function processesUntilDone(): Promise<number> {
  for (let died = 0; ; died++) {
    const child = fork(join(__dirname, 'crashing-process.fixtures.ts'), [url], { execArgv: ['-r', SOURCES] });
    const exit = once(child, 'exit');
    while (child.exitCode === null && child.signalCode === null && (await waiting()).length > 0) await pause(50);
    const isDone = (await waiting()).length === 0;
    if (isDone) child.kill('SIGKILL');
    await exit;
    if (isDone) return died;
  }
}

it.each([
  ['without a key', undefined],
  ['with a key', 'key'],
])(
  'a job %s whose process died three times is set aside, and the jobs beside it are completed',
  async (_, key) => {
    await add(
      ...Array.from({ length: 3 }, (__, index) => new Errand(`beside ${index}`, 'rest')),
      new Errand('deadly', 'die', key),
      ...Array.from({ length: 3 }, (__, index) => new Errand(`after ${index}`, 'rest')),
    );
    expect(await processesUntilDone()).toBe(3);
    const setAside = await jobs.listSetAside(dataSource.manager);
    expect(setAside).toMatchObject([{ task: Errand.task, payload: { name: 'deadly', how: 'die' } }]);
    expect((await jobs.count(dataSource.manager)).set_aside).toBe(1);

    const [job] = setAside;
    if (key) {
      await add(new Errand('deadly', 'die', key));
      expect(await processesUntilDone()).toBe(0);
    }
    expect(await dataSource.transaction((tx) => jobs.takeUp(tx, job?.id ?? ''))).toBe(true);
    expect(await dataSource.transaction((tx) => jobs.takeUp(tx, job?.id ?? ''))).toBe(false);
    expect(await waiting()).toEqual([{ name: 'deadly' }]);
    await dataSource.query('DELETE FROM graphile_worker._private_jobs');
  },
  120_000,
);

describe('a suspect job during an outage of the database', () => {
  let way: DatabaseWay;
  let storage: MemoryStorage;
  beforeEach(async () => {
    way = await DatabaseWay.open(url);
    storage = new MemoryStorage();
    const errand = new Errand('innocent', 'heed', 'key');
    await add(errand);
    await dataSource.query(
      `INSERT INTO suspect_job (id, task, payload, job_key, max_attempts, deaths) VALUES ($1, $2, $3, 'key', 25, 2)`,
      [keyedIdentity(Errand.task, errand.payload), Errand.task, errand.payload],
    );
  });
  afterEach(async () => {
    way.close();
    await dataSource.query('DELETE FROM graphile_worker._private_jobs');
  });

  const start = (address: string) => startApp({ url: address, abandonedAfterMs: 1500, stopWithinMs: 300, storage });

  it('a suspect job is not set aside if its process stops three times during outages of the database', async () => {
    for (let stops = 0; stops < 3; stops++) {
      const { app, errands } = await start(way.url);
      await errands.until(() => errands.begun.includes('innocent'));
      way.cut();
      await app.close();
      way.mend();
      expect(storage.blobs.size).toBe(1);
    }
    const { app, errands } = await start(url);
    await errands.until(() => errands.begun.includes('innocent'));
    expect(await jobs.listSetAside(dataSource.manager)).toEqual([]);
    expect([...storage.blobs.keys()]).toEqual([]);
    await app.close();
  }, 120_000);

  it('a suspect job is not set aside after three outages of the database that its process survives', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error');
    const unwritten = () =>
      logged.mock.calls.filter(([message]) => /^Failed to fail jobs/.test(String(message))).length;
    const { app, errands } = await start(way.url);
    for (let outages = 1; outages <= 3; outages++) {
      await errands.until(() => errands.begun.length === outages);
      way.cut();
      while (unwritten() < outages) await pause(20);
      way.mend();
    }
    logged.mockRestore();
    await errands.until(() => errands.begun.length === 4);
    expect(await jobs.listSetAside(dataSource.manager)).toEqual([]);
    expect(await dataSource.query('SELECT deaths FROM suspect_job')).toEqual([{ deaths: 2 }]);
    await app.close();
  }, 120_000);

  it('a suspect job is not set aside because of three outages of the database', async () => {
    for (let outages = 0; outages < 3; outages++) {
      const one = await start(way.url);
      await one.errands.until(() => one.errands.begun.includes('innocent'));
      const other = await start(url);
      way.cut();
      await other.errands.until(() => other.errands.begun.includes('innocent'));
      await other.app.close();
      way.mend();
      await one.app.close();
    }
    expect(await jobs.listSetAside(dataSource.manager)).toEqual([]);
    expect(await dataSource.query('SELECT deaths FROM suspect_job')).toEqual([{ deaths: 2 }]);
  }, 120_000);
});

it('a batch of suspect units is halved at each crash, until the deadly unit is set aside', async () => {
  const ids = ['ada', 'ben', 'cleo', 'deadly'];
  const addSuspects = (units: string[]) =>
    dataSource.transaction((tx) => jobs.addSuspects(tx, new SuspectErrands({ ids: units })));
  await addSuspects(ids);
  await addSuspects(['deadly', 'ada']);
  expect(await waiting()).toHaveLength(1);
  await add(...Array.from({ length: 3 }, (_, index) => new Errand(`beside ${index}`, 'rest')));
  expect(await processesUntilDone()).toBe(3);
  expect(await jobs.listSetAside(dataSource.manager)).toMatchObject([{ payload: { ids: ['deadly'] } }]);

  await addSuspects(ids);
  const payloads = await dataSource.query<object[]>('SELECT payload FROM suspect_job WHERE set_aside_at IS NULL');
  expect(payloads).toEqual([{ payload: { ids: ['ada', 'ben', 'cleo'] } }]);
  await dataSource.query('DELETE FROM graphile_worker._private_jobs');
}, 120_000);

it('at most one suspect job runs before an ordinary job', async () => {
  const lists = ['ada', 'ben', 'cleo'].map((id) => new SuspectErrands({ ids: [id] }));
  for (const list of lists) await dataSource.transaction((tx) => jobs.addSuspects(tx, list));
  await add(new Errand('stranger', 'rest'));
  const { app, errands } = await startApp({ url });
  await errands.until(() => errands.begun.length === 4);
  expect(errands.begun.indexOf('stranger')).toBeLessThanOrEqual(1);
  while ((await waiting()).length > 0) await pause(20);
  await app.close();
}, 30_000);

it('a job is no longer suspect once a process has survived it', async () => {
  await dataSource.query(
    `INSERT INTO suspect_job (id, task, payload, max_attempts, deaths)
     SELECT $1 || '#' || id, $1, payload, 25, 2 FROM graphile_worker.add_job($1, payload := '{"name":"innocent"}')`,
    [Errand.task],
  );
  const { app, errands } = await startApp({ url });
  await errands.until(() => errands.begun.includes('innocent'));
  while ((await waiting()).length > 0) await pause(20);
  await app.close();
  expect(await dataSource.query('SELECT id FROM suspect_job')).toEqual([]);
});
