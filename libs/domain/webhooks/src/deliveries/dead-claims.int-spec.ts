import { Database } from '@passwright/database';
import { Claimant } from '@passwright/jobs';
import { whileAlive } from '@passwright/jobs/testing';
import { WebhooksWorld } from './deliveries.fixtures.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { DueDeliveriesCron } from './due-deliveries.cron.js';

let world: WebhooksWorld;
let hook: Awaited<ReturnType<WebhooksWorld['webhook']>>;
let eventId: string;

const sent = () => world.receiver.received.map(({ headers }) => headers['webhook-id']);
const endDeadClaims = () => world.get(DueDeliveriesCron).endDeadClaims();

beforeAll(async () => {
  world = await WebhooksWorld.start();
  world.get(Claimant).isShown = true;
});
afterAll(() => world.stop());
beforeEach(async () => {
  world.receiver.received.length = 0;
  hook = await world.webhook();
  [eventId = ''] = await world.happen(hook);
});

/** Claims the deliveries of the webhook, but records no results. */
async function claim(): Promise<void> {
  const now = world.clock.now();
  const until = new Date(now.getTime() + 90_000);
  await world.get(Database).transaction(async (tx) => {
    const claimed = await world.get(DeliveriesRepository).claim(tx, hook, { now, until, limit: 100 });
    expect(claimed).toHaveLength(1);
  });
}

it('the service immediately sends a delivery that a crashed process had claimed, and counts the crash', async () => {
  await claim();
  await world.send(hook);
  expect(sent()).toEqual([]);
  await world.db.query('DELETE FROM graphile_worker._private_jobs');

  await endDeadClaims();
  expect(await world.jobsFor(hook)).toHaveLength(1);
  const [row] = await world.db.query<{ open_claims: number }[]>(
    'SELECT open_claims FROM webhook_delivery WHERE webhook_id = $1',
    [hook.webhookId],
  );
  expect(row).toEqual({ open_claims: 1 });
  await world.send(hook);
  expect(sent()).toEqual([eventId]);
});

it('the service does not take a delivery from a running process that has claimed it', async () => {
  const { id } = world.get(Claimant);
  await claim();
  await whileAlive(world.get(Database), id, endDeadClaims);
  await world.send(hook);
  expect(sent()).toEqual([]);
});

it('the claims of a process that runs no jobs end only when they expire', async () => {
  world.get(Claimant).isShown = false;
  await claim();
  world.get(Claimant).isShown = true;
  await endDeadClaims();
  await world.send(hook);
  expect(sent()).toEqual([]);
});

it('a delivery waits for its next attempt even if the claims of crashed processes end meanwhile', async () => {
  world.receiver.status(500);
  await world.send(hook);
  const due = () => world.db.query('SELECT due_at FROM webhook_delivery WHERE webhook_id = $1', [hook.webhookId]);
  const before = await due();
  await endDeadClaims();
  expect(await due()).toEqual(before);
  world.receiver.status(204);
});
