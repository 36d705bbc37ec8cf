import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jobsIdle, testDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { AppleWalletWorld, points, shownField, until } from '../support/apple-wallet-world.js';
import { ServiceProcess } from '../support/service-process.js';

let dir: string;
let url: string;
let database: DataSource;
let world: AppleWalletWorld;
let doomed: ServiceProcess | undefined;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'passwright crash '));
  ({ url } = await testDatabase());
  database = await new DataSource({ type: 'postgres', url }).initialize();
  world = await AppleWalletWorld.withoutNodes();
});
afterAll(async () => {
  await doomed?.kill();
  await world.stop();
  await database.destroy();
  rmSync(dir, { recursive: true });
});

/** Counts the running jobs of a task. */
async function running(task: string): Promise<number> {
  const [row] = await database.query<{ count: number }[]>(
    `SELECT count(*)::int FROM graphile_worker._private_jobs job
       JOIN graphile_worker._private_tasks task ON task.id = job.task_id
      WHERE task.identifier = $1 AND job.locked_at IS NOT NULL`,
    [task],
  );
  return row?.count ?? 0;
}

it('another node pushes a change if the first node is killed between the commit and the push', async () => {
  const before = await world.addNode({ DATA_DIR: dir });
  const account = await world.newAccount();
  let nodeUrl = before.baseUrl;
  const phone = world.phone(() => nodeUrl);
  const held = await world.hold(account, 'offer', {}, phone);
  await world.stopNode();

  doomed = await ServiceProcess.start({ ...world.environment, DATA_DIR: dir, DATABASE_URL: url });
  // Locks the table, so that the job that marks devices for a push waits.
  const locker = database.createQueryRunner();
  await locker.startTransaction();
  await locker.query('LOCK TABLE apple_push_page IN SHARE MODE');
  const response = await fetch(doomed.baseUrl + held.path, {
    method: 'PATCH',
    headers: { Authorization: `Bearer ${account.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(points('1')),
  });
  expect(response.status).toBe(200);
  await until(
    () => running('passes.changed'),
    (count) => count === 1,
  );
  await doomed.kill();
  await locker.rollbackTransaction();
  await locker.release();
  expect(world.pushesTo(phone)).toEqual([]);

  nodeUrl = (await world.addNode({ DATA_DIR: dir })).baseUrl;
  await world.nextPush(phone);
  expect(shownField(held, 'points')).toBe('1');
  await jobsIdle(url);
  expect(world.pushesTo(phone)).toHaveLength(1);
}, 120_000);
