import { MemoryStorage, testDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { Errand, startApp } from './jobs.fixtures.js';
import { Jobs } from './jobs.js';

const WORKER = 'pool-of-a-process-that-is-gone';

let url: string;
let dataSource: DataSource;
const jobs = new Jobs();

beforeAll(async () => {
  ({ url } = await testDatabase());
  dataSource = await new DataSource({ type: 'postgres', url, poolSize: 2 }).initialize();
});
afterEach(() => dataSource.query('DELETE FROM graphile_worker._private_jobs; DELETE FROM suspect_job'));
afterAll(() => dataSource.destroy());

/** Adds a job that the worker has just begun, and a note that the worker stopped this many minutes later. */
async function begunBeforeStop(minutes: number): Promise<MemoryStorage> {
  await dataSource.transaction((tx) => jobs.add(tx, new Errand('begun', 'heed')));
  const [{ stop } = { stop: null }] = await dataSource.query<{ stop: Date }[]>(
    `SELECT now() + $1 * interval '1 minute' AS stop`,
    [minutes],
  );
  await dataSource.query('UPDATE graphile_worker._private_jobs SET attempts = 1, locked_at = now(), locked_by = $1', [
    WORKER,
  ]);
  const storage = new MemoryStorage();
  await storage.put(`stopped-workers/${WORKER}`, Buffer.from(stop?.toISOString() ?? ''), 'text/plain');
  return storage;
}

it.each([
  ['a job that was begun before its worker stopped is not suspect, and its attempt does not count', 1, 1, []],
  ['a job that was begun after an outdated note of its worker is suspect', -1, 2, [{ deaths: 1 }]],
])('a note about a stopped worker means that %s', async (_, minutes, attempts, suspects) => {
  const storage = await begunBeforeStop(minutes);
  const { app, errands } = await startApp({ url, abandonedAfterMs: 1500, stopWithinMs: 300, storage });
  await errands.until(() => errands.begun.includes('begun'));
  expect(await dataSource.query('SELECT attempts FROM graphile_worker._private_jobs')).toEqual([{ attempts }]);
  expect(await dataSource.query('SELECT deaths FROM suspect_job')).toEqual(suspects);
  expect(storage.blobs.size).toBe(0);
  await app.close();
});
