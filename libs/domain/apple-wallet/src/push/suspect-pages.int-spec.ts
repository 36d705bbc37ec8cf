import { isDeepStrictEqual } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import { type PushResult, WalletUnavailable } from '@passwright/core';
import { PushCircuitBreaker } from './push-circuit-breaker.js';
import { PushPages } from './push-pages.service.js';
import { leaseSeconds } from './push-queue.repository.js';
import { PushSender } from './push-sender.handlers.js';
import type { SuspectPushPages } from './push.jobs.js';
import { aCertificate, passType, UpdatesWorld } from '../updates.fixtures.js';

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

/** Simulates a process that crashes after it has claimed batches, and waits until the claim expires. */
async function dieWhilePushing(): Promise<void> {
  await world.get(PushPages).claim({ accountId, passTypeIdentifier: passType }, 100);
  world.clock.advance(leaseSeconds + 1);
}

const sendAlone = async () => {
  const [job] = await world.jobs('apple-push.alone', accountId);
  await world.get(PushSender).sendAlone(job?.payload as SuspectPushPages['payload']);
};

it('a batch of devices gets its own job after it has crashed two processes', async () => {
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

it('the service pushes to a batch suspected of crashing processes once the account has a usable certificate', async () => {
  await dieWhilePushing();
  await dieWhilePushing();
  await world.send(accountId);
  const identity = jest.spyOn(world.signer, 'identity').mockRejectedValue(new WalletUnavailable('No certificate'));
  await sendAlone();
  identity.mockRestore();
  await world.send(accountId);
  expect(world.push.pushed).toEqual([device]);
});

it('the service pushes to a batch suspected of crashing processes once a new certificate replaces a rejected one', async () => {
  await dieWhilePushing();
  await dieWhilePushing();
  await world.send(accountId);
  const sender = { ...(await world.signer.identity(accountId)), accountId };
  await world
    .get(PushCircuitBreaker)
    .open(sender, { outcome: 'credential_rejected', status: 403, reason: 'BadCertificate' } as PushResult);
  await sendAlone();
  expect(world.push.pushed).toEqual([]);
  world.signer.replaced = aCertificate();
  await world.send(accountId);
  expect(world.push.pushed).toEqual([device]);
});

it('a batch of devices is not suspected of crashing processes only because its result could not be stored', async () => {
  const openClaims = () =>
    world.db.query<object[]>('SELECT open_claims FROM apple_push_page WHERE account_id = $1', [accountId]);
  await world.db.query(
    `CREATE FUNCTION take_nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE SQLSTATE '57014'; END $$`,
  );
  await world.db.query(`
    CREATE TRIGGER take_nothing BEFORE UPDATE ON apple_device FOR EACH ROW EXECUTE FUNCTION take_nothing()`);
  try {
    await expect(world.send(accountId)).rejects.toThrow();
  } finally {
    await world.db.query('DROP TRIGGER take_nothing ON apple_device');
    await world.db.query('DROP FUNCTION take_nothing');
  }
  while (!isDeepStrictEqual(await openClaims(), [{ open_claims: 0 }])) await pause(20);
});

it('the devices of a batch suspected of crashing processes still get pushes for later changes', async () => {
  await dieWhilePushing();
  await dieWhilePushing();
  await world.send(accountId);
  await world.change(accountId, serial);
  await world.send(accountId);
  expect(world.push.pushed).toEqual([device]);
});

it('a batch of devices is not suspected of crashing processes if its process released it without a push', async () => {
  for (let n = 0; n < 4; n++) {
    const { devices } = await world.get(PushPages).claim({ accountId, passTypeIdentifier: passType }, 100);
    await world.get(PushPages).record(
      accountId,
      devices.map((each) => ({ device: each, result: null })),
    );
  }
  await world.send(accountId);
  expect(world.push.pushed).toEqual([device]);
});
