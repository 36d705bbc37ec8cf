import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { jobsIdle, testDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { RunningService, type Account } from '../support/running-service.js';

let url: string;
let database: DataSource;
let api: RunningService;
let worker: RunningService | null = null;
let account: Account;

beforeAll(async () => {
  ({ url } = await testDatabase());
  database = await new DataSource({ type: 'postgres', url }).initialize();
  api = await RunningService.start({ ROLE: 'api' });
  account = await api.register();
});
afterAll(async () => {
  await worker?.stop();
  await api.stop();
  await database.destroy();
});

/** Counts the jobs in the queue, and their attempts. */
async function queued(): Promise<{ jobs: number; attempts: number }> {
  const [row] = await database.query<{ jobs: number; attempts: number }[]>(
    'SELECT count(*)::int AS jobs, coalesce(sum(attempts), 0)::int AS attempts FROM graphile_worker.jobs',
  );
  return row!;
}

/** Lists the e-mails that nodes have sent. */
function sentMails(): string[] {
  const outbox = join(api.dataDir, 'outbox');
  return existsSync(outbox) ? readdirSync(outbox) : [];
}

/** Counts the connections on which nodes take jobs. */
async function jobConnections(): Promise<number> {
  const [row] = await database.query<{ count: number }[]>(
    `SELECT count(*)::int FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE 'passwright jobs%'`,
  );
  return row!.count;
}

it('a node with ROLE=api queues jobs and is ready, but runs no jobs', async () => {
  const { status } = await api.request('POST', '/v1/auth/password/forgot', { body: { email: account.email } });
  expect(status).toBeLessThan(300);
  expect((await api.request('GET', '/health/ready')).status).toBe(200);
  const { jobs, attempts } = await queued();
  expect([jobs > 0, attempts, await jobConnections(), sentMails()]).toEqual([true, 0, 0, []]);
});

it('a node with ROLE=worker runs the jobs that a node with ROLE=api has queued', async () => {
  worker = await RunningService.start({ ROLE: 'worker' }, api);
  expect(await jobConnections()).toBeGreaterThan(0);
  await jobsIdle(url);
  expect(sentMails()).not.toEqual([]);
});

it('a node with ROLE=worker is live and ready, and serves metrics', async () => {
  for (const operation of ['/health/live', '/health/ready', '/metrics'])
    expect([operation, (await worker!.request('GET', operation)).status]).toEqual([operation, 200]);
});

it.each(['/v1/templates', '/v1/account', '/docs', '/openapi.json', '/healthy', '/', '/images/samples/icon.png'])(
  '503 not_ready for %s on a node with ROLE=worker',
  async (other) => {
    expect(await worker!.request('GET', other, { token: account.token })).toMatchObject({
      status: 503,
      body: { code: 'not_ready', message: expect.stringContaining('ROLE=api') },
    });
  },
);

it('503 not_ready for a write on a node with ROLE=worker', async () => {
  const body = { title: 'Summer' };
  expect(await worker!.request('POST', '/v1/templates/t', { token: account.token, body })).toMatchObject({
    status: 503,
    body: { code: 'not_ready' },
  });
});
