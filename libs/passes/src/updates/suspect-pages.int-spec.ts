import { PushPages } from './push-pages.js';
import { leaseSeconds } from './push-queue.repository.js';
import { PushSender } from './push-sender.js';
import type { SuspectPushPages } from './updates.jobs.js';
import { passType, UpdatesWorld } from './updates.fixtures.js';

let world: UpdatesWorld;
let accountId: string;
let serial: string;
let device: string;

beforeAll(async () => (world = await UpdatesWorld.start()));
afterAll(() => world.stop());
beforeEach(async () => {
  world.push.pushed.length = 0;
  accountId = await world.account();
  serial = await world.pass(accountId);
  device = await world.device(accountId, serial);
  world.clock.advance(1);
  await world.change(accountId, serial);
});

/** Claims as a process does that dies before it records anything, until its claim ends. */
async function dieWhilePushing(): Promise<void> {
  await world.get(PushPages).claim({ accountId, passTypeIdentifier: passType }, 100);
  world.clock.advance(leaseSeconds + 1);
}

it('a page that was in hand at two deaths is left to a job that pushes it alone', async () => {
  await dieWhilePushing();
  await dieWhilePushing();
  await world.send(accountId);
  expect(world.push.pushed).toEqual([]);
  const [job, ...others] = await world.jobs('apple-push.alone', accountId);
  expect(others).toEqual([]);

  await world.get(PushSender).sendAlone(job?.payload as SuspectPushPages['payload']);
  await world.send(accountId);
  expect(world.push.pushed).toEqual([device]);
});

it('a suspect page that a lone job could not push is claimed again at once', async () => {
  await dieWhilePushing();
  await dieWhilePushing();
  await world.send(accountId);
  const [job] = await world.jobs('apple-push.alone', accountId);
  const { ids } = job?.payload as SuspectPushPages['payload'];
  await world.get(PushPages).giveBack(accountId, ids);
  await world.send(accountId);
  expect(world.push.pushed).toEqual([device]);
});

it('a suspect page does not keep its devices from the pushes of later changes', async () => {
  await dieWhilePushing();
  await dieWhilePushing();
  await world.send(accountId);
  await world.change(accountId, serial);
  await world.send(accountId);
  expect(world.push.pushed).toEqual([device]);
});

it('a page that a process gave back is no suspect', async () => {
  for (let n = 0; n < 4; n++) {
    const { devices } = await world.get(PushPages).claim({ accountId, passTypeIdentifier: passType }, 100);
    await world.get(PushPages).record(
      accountId,
      devices.map((each) => ({ device: each, answer: null })),
    );
  }
  await world.send(accountId);
  expect(world.push.pushed).toEqual([device]);
});
