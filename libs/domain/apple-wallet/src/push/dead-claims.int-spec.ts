import { Database } from '@passwright/database';
import { Claimant } from '@passwright/jobs';
import { whileAlive } from '@passwright/jobs/testing';
import { PushDueCron } from './push-due.cron.js';
import { PushPages } from './push-pages.service.js';
import { ApplePushDue } from './push.jobs.js';
import { passType, UpdatesWorld } from '../updates.fixtures.js';

let world: UpdatesWorld;
let accountId: string;
let device: string;

const endDeadClaims = () => world.get(PushDueCron).endDeadClaims();

beforeAll(async () => {
  world = await UpdatesWorld.start();
  world.get(Claimant).isShown = true;
});
afterAll(() => world.stop());
beforeEach(async () => {
  world.push.pushed.length = 0;
  accountId = await world.account();
  const serial = await world.pass(accountId);
  device = await world.device(accountId, serial);
  world.clock.advance(60);
  await world.change(accountId, serial);
});

/** Claims the due device, but leaves the claim open and sends no push. */
async function claim(): Promise<void> {
  const { devices } = await world.get(PushPages).claim({ accountId, passTypeIdentifier: passType }, 100);
  expect(devices).toHaveLength(1);
}

it('the service immediately sends a push to a device that a crashed process had claimed', async () => {
  await claim();
  await world.takeJobs(accountId);
  await world.send(accountId);
  expect(world.push.pushed).toEqual([]);
  await world.takeJobs(accountId);

  await endDeadClaims();
  expect(await world.jobs(ApplePushDue.task, accountId)).toHaveLength(1);
  await world.send(accountId);
  expect(world.push.pushed).toEqual([device]);
});

it('the service does not send a push to a device that a running process has claimed', async () => {
  const { id } = world.get(Claimant);
  await claim();
  await whileAlive(world.get(Database), id, endDeadClaims);
  await world.send(accountId);
  expect(world.push.pushed).toEqual([]);
});
