import { Logger } from '@nestjs/common';
import { WalletUnavailable } from '@passwright/core';
import { PushCircuitsRepository } from './push-circuits.repository.js';
import { PushDueCron } from './push-due.cron.js';
import { PushSender } from './push-sender.handlers.js';
import { aCertificate, running, UpdatesWorld } from '../updates.fixtures.js';
import { ApplePushDue } from './push.jobs.js';

let world: UpdatesWorld;
let accountId: string;
let serial: string;
let alarms: jest.SpyInstance;

const rejected = { outcome: 'credential_rejected', status: 403, reason: 'BadCertificate' } as const;
const minutes = (count: number) => count * 60;
const circuit = (of = world.signer.replaced.fingerprint ?? '') => world.get(PushCircuitsRepository).find(accountId, of);
const retryMinutes = async () => ((await circuit())!.retryAt.getTime() - world.clock.now().getTime()) / 60_000;

beforeAll(async () => (world = await UpdatesWorld.start()));
afterAll(() => world.stop());
beforeEach(async () => {
  alarms = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
  jest.spyOn(Logger.prototype, 'log').mockReturnValue(undefined);
  world.signer.replaced = aCertificate();
  world.push.result = () => rejected;
  world.push.pushed.length = 0;
  accountId = await world.account();
  serial = await world.pass(accountId);
  world.clock.advance(60);
});
afterEach(() => jest.restoreAllMocks());

async function devices(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push(await world.device(accountId, serial));
  return ids;
}

it('the service stops all pushes when the certificate is rejected, keeps every device and logs one error', async () => {
  const ids = await devices(450);
  await world.change(accountId, serial);
  await world.takeJobs(accountId);
  await world.send(accountId);
  await world.send(accountId);
  expect(world.push.pushed.length).toBeLessThanOrEqual(100);
  expect(await circuit()).toMatchObject({ reason: 'BadCertificate', since: world.clock.now() });
  expect(alarms).toHaveBeenCalledTimes(1);
  expect(alarms).toHaveBeenCalledWith(expect.stringContaining('BadCertificate'));
  const due = (await world.pages(accountId)).filter(({ due_at }) => due_at <= world.clock.now());
  expect(due.flatMap(({ device_ids }) => device_ids).sort()).toEqual(ids);
  const lying = 'SELECT FROM apple_device WHERE account_id = $1 AND pushed_at IS NOT NULL AND push_status IS NULL';
  expect(await world.db.query(lying, [accountId])).toEqual([]);
  // No job is waiting until the scheduled check runs again.
  expect(await world.jobs(ApplePushDue.task, accountId)).toEqual([]);
});

it('the service sends a trial push after 15 minutes, and then after growing pauses of up to an hour', async () => {
  await devices(3);
  await world.change(accountId, serial);
  await world.send(accountId);
  world.push.pushed.length = 0;
  const pauses: number[] = [];
  for (let trial = 1; trial <= 6; trial++) {
    const pause = await retryMinutes();
    pauses.push(pause);
    world.clock.advance(minutes(pause) - 1);
    await world.send(accountId);
    expect(world.push.pushed).toHaveLength(trial - 1);
    world.clock.advance(1);
    await world.send(accountId);
    expect(world.push.pushed).toHaveLength(trial);
  }
  expect(pauses).toEqual([15, 15, 30, 60, 60, 60]);
  expect(alarms).toHaveBeenCalledTimes(1);
});

it('the service closes the circuit after an accepted trial push, and sends a push to every due device', async () => {
  const ids = await devices(3);
  await world.change(accountId, serial);
  await world.send(accountId);
  world.push.pushed.length = 0;
  world.push.result = () => ({});
  world.clock.advance(minutes(15));
  await world.get(PushDueCron).look();
  expect(await world.jobs(ApplePushDue.task, accountId)).not.toEqual([]);
  await world.send(accountId);
  expect([...world.push.pushed].sort()).toEqual(ids);
  expect(await circuit()).toBeNull();
});

it('the service sends pushes again immediately when the account gets another certificate', async () => {
  const ids = await devices(3);
  await world.change(accountId, serial);
  await world.send(accountId);
  world.push.pushed.length = 0;
  world.push.result = () => ({});
  world.signer.replaced = aCertificate();
  await world.send(accountId);
  expect([...world.push.pushed].sort()).toEqual(ids);
  expect(await circuit()).toBeNull();
});

it('the service opens another circuit and logs another error if the new certificate is rejected too', async () => {
  await devices(1);
  await world.change(accountId, serial);
  await world.send(accountId);
  world.signer.replaced = aCertificate();
  world.clock.advance(60);
  await world.send(accountId);
  expect(await circuit()).toMatchObject({ since: world.clock.now() });
  expect(alarms).toHaveBeenCalledTimes(2);
});

it('the service sends only one trial push, however many nodes check at the same moment', async () => {
  const node = await world.node();
  await devices(3);
  await world.change(accountId, serial);
  await world.send(accountId);
  world.push.pushed.length = 0;
  world.clock.advance(minutes(15));
  await Promise.all([world.send(accountId), node.get(PushSender).send({ accountId }, running())]);
  expect(world.push.pushed).toHaveLength(1);
  await node.close();
});

it('pushes stay stopped after an inconclusive trial push, and a bad token does not count against the device', async () => {
  const [id = ''] = await devices(1);
  await world.change(accountId, serial);
  await world.send(accountId);
  for (const result of [
    { outcome: 'retry', status: 503 },
    { outcome: 'bad_token', status: 400 },
    { outcome: 'bad_token', status: 400 },
  ] as const) {
    world.push.result = () => result;
    world.clock.advance(minutes(16));
    await world.send(accountId);
    expect(await circuit()).not.toBeNull();
    expect(await retryMinutes()).toBe(1);
  }
  expect(await world.row(accountId, id)).toMatchObject({ bad_tokens: 0 });
});

describe('a certificate of several accounts', () => {
  let other: string;
  let theirs: string;

  beforeEach(async () => {
    other = await world.account();
    theirs = await world.pass(other);
    await world.device(other, theirs);
    await devices(2);
    world.clock.advance(5);
    await world.change(accountId, serial);
    await world.change(other, theirs);
    await world.send(accountId);
    world.push.pushed.length = 0;
  });

  it('the service stops the pushes of all accounts of the certificate together, and logs one error', async () => {
    await world.send(other);
    expect(world.push.pushed).toEqual([]);
    expect(await world.get(PushCircuitsRepository).find(other, world.signer.replaced.fingerprint!)).not.toBeNull();
    expect(alarms).toHaveBeenCalledTimes(1);
  });

  it('the service sends only one trial push for all accounts of the certificate, on any node', async () => {
    const node = await world.node();
    world.clock.advance(minutes(15));
    await Promise.all([world.send(accountId), node.get(PushSender).send({ accountId: other }, running())]);
    expect(world.push.pushed).toHaveLength(1);
    await node.close();
  });

  it('the service runs the trial push with another account if the first account has no device', async () => {
    await world.db.query('UPDATE apple_registration SET seen_at = $2 WHERE account_id = $1', [
      accountId,
      world.clock.now(),
    ]);
    world.clock.advance(minutes(15));
    await world.send(accountId);
    expect(world.push.pushed).toEqual([]);
    await world.send(other);
    expect(world.push.pushed).toHaveLength(1);
  });

  it('every waiting account gets its pushes within a minute after the certificate is accepted again', async () => {
    world.push.result = () => ({});
    world.clock.advance(minutes(15));
    await world.send(other);
    await world.takeJobs(accountId);
    await world.get(PushDueCron).look();
    expect(await world.jobs(ApplePushDue.task, accountId)).toHaveLength(1);
    await world.send(accountId);
    expect(world.push.pushed).toHaveLength(3);
  });

  it('each trial push goes to the device whose last push is oldest', async () => {
    for (const _ of [1, 2, 3]) {
      world.clock.advance(minutes(60));
      await world.send(accountId);
    }
    const [first, second] = world.push.pushed;
    expect(world.push.pushed).toEqual([first, second, first]);
    expect(second).not.toBe(first);
  });

  it('the service deletes the circuit of a certificate that no account uses', async () => {
    const former = world.signer.replaced.fingerprint;
    world.signer.replaced = aCertificate();
    world.clock.advance(minutes(80));
    await world.get(PushDueCron).look();
    expect(await circuit(former)).toBeNull();
  });
});

it('the service stops pushes with an unusable certificate, logs one error, and resumes with a new certificate', async () => {
  const [id = ''] = await devices(1);
  const unusable = jest.spyOn(world.signer, 'identity').mockRejectedValue(new WalletUnavailable('it has expired'));
  await world.change(accountId, serial);
  await world.send(accountId);
  world.clock.advance(minutes(16));
  await world.send(accountId);
  expect(world.push.pushed).toEqual([]);
  expect(alarms).toHaveBeenCalledTimes(1);
  unusable.mockRestore();
  world.push.result = () => ({});
  await world.send(accountId);
  expect(world.push.pushed).toEqual([id]);
});

it('pushes stay stopped if the certificate could not be looked up', async () => {
  await devices(1);
  await world.change(accountId, serial);
  await world.send(accountId);
  world.push.pushed.length = 0;
  jest.spyOn(world.signer, 'identity').mockRejectedValueOnce(new Error('the database does not respond'));
  await expect(world.send(accountId)).rejects.toThrow('the database does not respond');
  expect(world.push.pushed).toEqual([]);
  expect(await circuit()).not.toBeNull();
});
