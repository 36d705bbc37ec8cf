import { Clock } from '@passwright/core';
import { Database } from '@passwright/database';
import { Jobs } from '@passwright/jobs';
import { AppleWalletOptions } from '../apple-wallet.options.js';
import { RestoredDevices } from './restored-devices.listener.js';
import { PushPages } from '../push/push-pages.service.js';
import { PushQueueRepository } from '../push/push-queue.repository.js';
import { passType, UpdatesWorld } from '../updates.fixtures.js';

let world: UpdatesWorld;
let accountId: string;

beforeAll(async () => (world = await UpdatesWorld.start()));
afterAll(() => world.stop());
beforeEach(async () => {
  world.push.pushed.length = 0;
  accountId = await world.account();
});

const seconds = (count: number) => new Date(world.clock.now().getTime() + count * 1000);
const step = (position: object, options = {}) => {
  const restored = new RestoredDevices(
    world.get(Database),
    world.get(PushQueueRepository),
    world.get(Jobs),
    world.get(Clock),
    {
      ...world.get(AppleWalletOptions),
      ...options,
    },
  );
  return world.get(Database).transaction((tx) => restored.incarnationStep(tx, position));
};

/** Adds devices that hold the current version of a pass. @returns their ids */
async function devices(count: number): Promise<string[]> {
  const serial = await world.pass(accountId);
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(await world.device(accountId, serial));
  return ids;
}

it('every device gets one push after a restore, even if it is up to date, at 200 pushes per second', async () => {
  const ids = await devices(250);
  let position: object | null = { accountId };
  for (let n = 0; n < 3 && position !== null; n += 1) ({ next: position } = await step(position));
  const pages = await world.db.query<{ due_at: Date; size: number }[]>(
    'SELECT due_at, size FROM apple_push_page WHERE account_id = $1 ORDER BY due_at',
    [accountId],
  );
  expect(pages).toEqual([
    { due_at: seconds(0), size: 100 },
    { due_at: seconds(0.5), size: 100 },
    { due_at: seconds(1), size: 50 },
  ]);
  const pushed: number[] = [];
  for (let n = 0; n < 4; n += 1) {
    await world.send(accountId);
    pushed.push(world.push.pushed.length);
    world.clock.advance(0.5);
  }
  expect(pushed).toEqual([100, 200, 250, 250]);
  expect(ids.every((id) => world.push.count(id) === 1)).toBe(true);
});

it('a restored device gets a push immediately, even if it was claimed before the restore', async () => {
  const serial = await world.pass(accountId);
  const id = await world.device(accountId, serial);
  world.clock.advance(60);
  await world.change(accountId, serial);
  const claimed = await world.get(PushPages).claim({ accountId, passTypeIdentifier: passType }, 10);
  expect(claimed.devices).toHaveLength(1);
  await step({});
  await world.send(accountId);
  expect(world.push.count(id)).toBe(1);
});

it('the service sends pushes to restored devices at the rate that the operator has set', async () => {
  await devices(100);
  const { next } = await step({ accountId }, { restoredPushesPerSecond: 1000 });
  expect(next).toMatchObject({ dueAt: seconds(0.1).toISOString() });
});

it('the service marks restored devices as due shortly before their push, which prevents a burst after a pause', async () => {
  const [id = ''] = await devices(1);
  const ahead = await step({ accountId, dueAt: seconds(11).toISOString() });
  expect(ahead.notBefore?.getTime()).toBeGreaterThan(world.clock.now().getTime());
  const late = await step({ accountId, dueAt: seconds(-3600).toISOString() });
  expect(late).toMatchObject({ next: { accountId: expect.any(String) } });
  const [{ next_due: nextDue } = { next_due: null }] = await world.db.query<{ next_due: Date }[]>(
    'SELECT min(due_at) AS next_due FROM apple_push_page WHERE account_id = $1 AND $2 = ANY (device_ids)',
    [accountId, id],
  );
  expect(nextDue).toEqual(seconds(0));
});

it('the job ends after the last restored device', async () => {
  expect(await step({ accountId: '\u{10ffff}' })).toEqual({ next: null });
});
