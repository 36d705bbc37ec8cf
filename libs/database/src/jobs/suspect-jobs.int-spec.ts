import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { testDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { Errand, startApp } from './jobs.fixtures.js';
import { Jobs } from './jobs.js';

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
       JOIN graphile_worker._private_tasks task ON task.id = job.task_id WHERE task.identifier = $1`,
    [Errand.task],
  );

/** Starts processes, one after the other, until the queue is empty. @returns how many of them died */
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
  'a job %s whose process died three times is set aside, and those beside it are done',
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

it('work of another queue that has probably ended its process twice runs alone, and is set aside at the third death', async () => {
  const suspects = [new Errand('deadly', 'die', 'deadly'), new Errand('innocent', 'rest', 'innocent')];
  const addSuspects = () => dataSource.transaction((tx) => jobs.addSuspects(tx, suspects));
  await addSuspects();
  await add(...Array.from({ length: 3 }, (_, index) => new Errand(`beside ${index}`, 'rest')));
  expect(await processesUntilDone()).toBe(1);
  expect(await jobs.listSetAside(dataSource.manager)).toMatchObject([{ payload: { name: 'deadly' } }]);

  await addSuspects();
  expect(await waiting()).toEqual([{ name: 'innocent' }]);
  await dataSource.query('DELETE FROM graphile_worker._private_jobs');
}, 120_000);

it('a job that its process survives is no longer suspected', async () => {
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
