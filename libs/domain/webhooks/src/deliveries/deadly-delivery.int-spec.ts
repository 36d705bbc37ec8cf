import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Jobs } from '@passwright/jobs';
import { testDatabase } from '@passwright/testing';
import { WebhooksWorld } from './deliveries.fixtures.js';

const SOURCES = join(__dirname, '../../../../testing/jest/typescript-sources.cjs');

let world: WebhooksWorld;
beforeAll(async () => (world = await WebhooksWorld.start()));
afterAll(() => world.stop());

/**
 * Starts processes one after another until `isDone` returns true. One event crashes each process that sends it.
 * @returns the number of crashed processes
 */
async function processesUntil(isDone: () => Promise<boolean>, accountId: string, deadly: string): Promise<number> {
  const { url } = await testDatabase();
  for (let died = 0; ; died++) {
    // Let the claims of the crashed process expire.
    await world.db.query(
      `UPDATE webhook_delivery SET due_at = now() WHERE account_id = $1 AND due_at < now() + interval '2 minutes'`,
      [accountId],
    );
    const child = fork(join(__dirname, 'crashing-process.fixtures.ts'), [url, world.receiver.host, deadly], {
      execArgv: ['-r', SOURCES],
    });
    const exit = once(child, 'exit');
    while (child.exitCode === null && child.signalCode === null && !(await isDone())) await pause(50);
    const isOver = await isDone();
    if (isOver) child.kill('SIGKILL');
    await exit;
    if (isOver) return died;
  }
}

it('the service stops sending a delivery that repeatedly crashes its process, and sends all others', async () => {
  const hook = await world.webhook();
  const before = await world.happen(hook, 2);
  const [deadly] = await world.happen(hook, 1, 'pass.deleted');
  const after = await world.happen(hook, 2);
  // Exclude the deliveries of other specs.
  const setAside = async () => {
    const all = await world.get(Jobs).listSetAside(world.db);
    return all.filter(({ payload }) => (payload as { accountId: string }).accountId === hook.accountId);
  };
  const pending = () =>
    world.db.query<{ event_id: string }[]>(
      'SELECT event_id FROM webhook_delivery WHERE account_id = $1 AND delivered_at IS NULL',
      [hook.accountId],
    );
  const isDone = async () => (await setAside()).length > 0 && (await pending()).length === 1;
  const died = await processesUntil(isDone, hook.accountId, deadly as string);
  // Two processes crash while they send all five deliveries, and then at least one while it sends only the deadly one.
  expect(died).toBeGreaterThanOrEqual(3);
  expect(died).toBeLessThanOrEqual(5);
  expect(await setAside()).toMatchObject([{ task: 'webhooks.send-alone', payload: { ids: [deadly] } }]);
  expect(await pending()).toEqual([{ event_id: deadly }]);
  const arrived = world.receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(arrived).toEqual(expect.arrayContaining([...before, ...after]));
  expect(arrived).not.toContain(deadly);
}, 240_000);
