import { WalletUnavailable } from '@passwright/core';
import { Database } from '@passwright/database';
import { randomUUID } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { TestApp } from '../test-app.fixtures.js';
import { GoogleQuotaRepository, requestsPerSecond } from './google-quota.repository.js';

let app: TestApp;
let nodes: GoogleQuotaRepository[];

beforeAll(async () => {
  app = await TestApp.start();
  nodes = Array.from({ length: 3 }, () => new GoogleQuotaRepository(app.get(Database)));
});
afterAll(() => app.stop());

it('the quota limits the requests of three nodes together in every second', async () => {
  const issuer = randomUUID();
  const turns: number[] = [];
  const standstills = monitorEventLoopDelay({ resolution: 10 });
  standstills.enable();
  await Promise.all(
    Array.from({ length: 36 }, async (_, n) => {
      await nodes[n % 3]!.take(issuer, n % 2 ? 'holder' : 'background', 20_000);
      turns.push(performance.now());
    }),
  );
  standstills.disable();
  turns.sort((a, b) => a - b);
  const inASecond = turns.map((at) => turns.filter((other) => other >= at && other < at + 1000).length);
  // The database clock allows at most 17 per second, but requests that this process delays may arrive together.
  const heldBack = Math.ceil((standstills.max / 1e9) * requestsPerSecond);
  expect(Math.max(...inASecond)).toBeLessThanOrEqual(Math.max(20, 17 + heldBack));
  expect(turns.at(-1)! - turns[0]!).toBeGreaterThan((34 / requestsPerSecond) * 1000 * 0.9);
});

it('the quota reserves a share for changes, even if many links are requested simultaneously', async () => {
  const issuer = randomUUID();
  const order: string[] = [];
  const holders = Array.from({ length: 24 }, () =>
    nodes[0]!.take(issuer, 'holder', 10_000).then(() => order.push('holder')),
  );
  const changes = [1, 2].map(() => nodes[1]!.take(issuer, 'background', 10_000).then(() => order.push('background')));
  await Promise.all([...holders, ...changes]);
  expect(order.lastIndexOf('background')).toBeLessThan(20);
});

it('the quota serves links before background work', async () => {
  const issuer = randomUUID();
  const order: string[] = [];
  const background = Array.from({ length: 30 }, () =>
    nodes[0]!.take(issuer, 'background', 10_000).then(() => order.push('background')),
  );
  await background[0];
  await nodes[1]!.take(issuer, 'holder', 10_000).then(() => order.push('holder'));
  await Promise.all(background);
  expect(order).toHaveLength(31);
  expect(order.indexOf('holder')).toBeLessThan(10);
});

it('a write fails if it gets no request slot within the given time', async () => {
  const issuer = randomUUID();
  await Promise.all(Array.from({ length: 5 }, () => nodes[0]!.take(issuer, 'holder', 10_000)));
  const waits = Array.from({ length: 20 }, () => nodes[1]!.take(issuer, 'holder', 100));
  const rejected = (await Promise.allSettled(waits)).filter(({ status }) => status === 'rejected');
  expect(rejected.length).toBeGreaterThan(10);
  expect(rejected[0]).toMatchObject({ reason: expect.any(WalletUnavailable) });
});

it('the quota ignores a request slot that was reserved while the clock was 400 days ahead', async () => {
  const issuer = randomUUID();
  await nodes[0]!.take(issuer, 'holder', 100);
  await app
    .get(Database)
    .reads.query(`UPDATE google_quota SET free_at = free_at + interval '400 days' WHERE issuer_id = $1`, [issuer]);
  await nodes[0]!.take(issuer, 'holder', 100);
  await nodes[1]!.take(issuer, 'holder', 10_000);
});
