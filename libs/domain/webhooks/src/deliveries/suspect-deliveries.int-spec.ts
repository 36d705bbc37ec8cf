import { setTimeout as pause } from 'node:timers/promises';
import { Database } from '@passwright/database';
import { WebhooksWorld } from './deliveries.fixtures.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { DeliverySenderHandlers } from './delivery-sender.handlers.js';

let world: WebhooksWorld;
beforeAll(async () => (world = await WebhooksWorld.start()));
afterAll(() => world.stop());
beforeEach(() => {
  world.receiver.received.length = 0;
  world.receiver.status(204);
});

type Ref = Awaited<ReturnType<WebhooksWorld['webhook']>>;

const CLAIM_SECONDS = 90;

/** Simulates a process that crashes after it has claimed deliveries, and waits until the claim expires. */
async function dieWhileSending(ref: Ref): Promise<void> {
  const now = world.clock.now();
  const until = new Date(now.getTime() + CLAIM_SECONDS * 1000);
  await world
    .get(Database)
    .transaction((tx) => world.get(DeliveriesRepository).claim(tx, ref, { now, until, limit: 100 }));
  world.clock.advance(CLAIM_SECONDS + 1);
}

const openClaims = async ({ webhookId }: Ref) => {
  const rows = await world.db.query<{ open_claims: number }[]>(
    'SELECT DISTINCT open_claims FROM webhook_delivery WHERE webhook_id = $1',
    [webhookId],
  );
  return rows.map((row) => row.open_claims);
};
const sent = () => world.receiver.received.map(({ headers }) => headers['webhook-id']);
const sendAlone = ({ accountId, webhookId }: Ref, ids: readonly string[]) =>
  world.get(DeliverySenderHandlers).sendAlone({ accountId, webhookId, ids }, { signal: new AbortController().signal });

it('a delivery gets a separate job after it has crashed two processes; other deliveries are sent as usual', async () => {
  const hook = await world.webhook();
  const [suspect = ''] = await world.happen(hook);
  await dieWhileSending(hook);
  await dieWhileSending(hook);
  const [other] = await world.happen(hook);
  await world.send(hook);
  expect(sent()).toEqual([other]);
  expect(await world.jobsFor(hook, 'webhooks.send-alone')).toHaveLength(1);

  await sendAlone(hook, [suspect]);
  expect(sent()).toEqual([other, suspect]);
  await world.send(hook);
  expect(sent()).toHaveLength(2);
});

it('a delivery that has crashed too many processes is claimed at most once an hour, and is not sent', async () => {
  const hook = await world.webhook();
  await world.happen(hook);
  await dieWhileSending(hook);
  await dieWhileSending(hook);
  await world.send(hook);
  await world.db.query(`UPDATE suspect_job SET set_aside_at = now() WHERE payload->>'webhookId' = $1`, [
    hook.webhookId,
  ]);
  await world.db.query(`DELETE FROM graphile_worker._private_jobs WHERE payload->>'webhookId' = $1`, [hook.webhookId]);
  for (let hours = 0; hours < 2; hours++) {
    world.clock.advance(3601);
    await world.send(hook);
    await world.send(hook);
  }
  expect(sent()).toEqual([]);
  expect(await world.jobsFor(hook, 'webhooks.send-alone')).toEqual([]);
});

it('one job sends a whole backlog that has crashed two processes', async () => {
  const hook = await world.webhook();
  const backlog = await world.happen(hook, 40);
  await dieWhileSending(hook);
  await dieWhileSending(hook);
  await world.send(hook);
  expect(await world.jobsFor(hook, 'webhooks.send-alone')).toHaveLength(1);
  await sendAlone(hook, backlog);
  expect(sent().sort()).toEqual([...backlog].sort());
  expect(await openClaims(hook)).toEqual([0]);
});

it.each([
  ['disabled', 'enabled', 'disabled_at'],
  ['paused', 'no longer paused', 'held_until'],
])('the suspected deliveries of a %s webhook are sent as soon as the webhook is %s', async (_, __, column) => {
  const hook = await world.webhook();
  const backlog = await world.happen(hook, 2);
  await dieWhileSending(hook);
  await dieWhileSending(hook);
  await world.send(hook);
  const stop = (at: Date | null) =>
    world.db.query(`UPDATE webhook SET ${column} = $2 WHERE id = $1`, [hook.webhookId, at]);
  await stop(new Date(world.clock.now().getTime() + 60_000));
  await sendAlone(hook, backlog);
  expect(await openClaims(hook)).toEqual([1]);
  await stop(null);
  await world.send(hook);
  expect(sent().sort()).toEqual([...backlog].sort());
});

it('a delivery is not suspected of crashing processes only because its result could not be stored', async () => {
  const hook = await world.webhook();
  const [id] = await world.happen(hook);
  await world.db.query(
    `CREATE FUNCTION take_nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE SQLSTATE '57014'; END $$`,
  );
  await world.db.query(`
    CREATE TRIGGER take_nothing BEFORE UPDATE ON webhook_delivery FOR EACH ROW WHEN (new.open_claims = 0) EXECUTE FUNCTION take_nothing()`);
  try {
    await world.send(hook);
    expect(await openClaims(hook)).toEqual([1]);
  } finally {
    await world.db.query('DROP TRIGGER take_nothing ON webhook_delivery');
    await world.db.query('DROP FUNCTION take_nothing');
  }
  while ((await openClaims(hook))[0] !== 0) await pause(50);
  world.clock.advance(CLAIM_SECONDS + 1);
  await world.send(hook);
  expect(sent()).toEqual([id, id]);
});

it('a delivery is not suspected of crashing processes if its attempts are recorded', async () => {
  const hook = await world.webhook();
  world.receiver.status(500);
  await world.happen(hook);
  for (let attempt = 0; attempt < 4; attempt++) {
    await dieWhileSending(hook);
    await world.send(hook);
    world.clock.advance(24 * 3600);
  }
  expect(sent()).toHaveLength(4);
  expect(await world.jobsFor(hook, 'webhooks.send-alone')).toEqual([]);
});
