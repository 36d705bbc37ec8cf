import { Logger } from '@nestjs/common';
import { PushHaltsRepository } from './push-halts.repository.js';
import { PushSchedule } from './push-schedule.js';
import { PushSender } from './push-sender.js';
import { running, UpdatesWorld } from './updates.fixtures.js';
import { ApplePushDue } from './updates.jobs.js';

let world: UpdatesWorld;
let accountId: string;
let serial: string;
let alarms: jest.SpyInstance;

const refused = { outcome: 'halted', status: 403, reason: 'BadCertificate' } as const;
const minutes = (count: number) => count * 60;
const halt = () => world.get(PushHaltsRepository).find(accountId);
const retryMinutes = async () => ((await halt())!.retryAt.getTime() - world.clock.now().getTime()) / 60_000;

beforeAll(async () => (world = await UpdatesWorld.start()));
afterAll(() => world.stop());
beforeEach(async () => {
  alarms = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
  jest.spyOn(Logger.prototype, 'log').mockReturnValue(undefined);
  world.signer.replaced = {};
  world.push.answer = () => refused;
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

it('stops after the pushes under way, keeps every device, and says so once', async () => {
  const ids = await devices(450);
  await world.change(accountId, serial);
  await world.takeJobs(accountId);
  await world.send(accountId);
  await world.send(accountId);
  expect(world.push.pushed.length).toBeLessThanOrEqual(100);
  expect(await halt()).toMatchObject({ reason: 'BadCertificate', since: world.clock.now() });
  expect(alarms).toHaveBeenCalledTimes(1);
  expect(alarms).toHaveBeenCalledWith(expect.stringContaining('BadCertificate'));
  const [left] = await world.db.query<{ due: number; lying: number; all: number }[]>(
    `SELECT count(*)::int AS all, count(*) FILTER (WHERE due_at <= $2)::int AS due,
       count(*) FILTER (WHERE pushed_at IS NOT NULL AND push_status IS NULL)::int AS lying
     FROM apple_device WHERE account_id = $1`,
    [accountId, world.clock.now()],
  );
  expect(left).toEqual({ all: ids.length, due: ids.length, lying: 0 });
  // Nothing goes round in the queue until the schedule looks.
  expect(await world.jobs(ApplePushDue.task, accountId)).toEqual([]);
});

it('probes with one device: after 15 minutes, then after as long as it has lasted, an hour at most', async () => {
  await devices(3);
  await world.change(accountId, serial);
  await world.send(accountId);
  world.push.pushed.length = 0;
  const pauses: number[] = [];
  for (let probe = 1; probe <= 6; probe++) {
    const pause = await retryMinutes();
    pauses.push(pause);
    world.clock.advance(minutes(pause) - 1);
    await world.send(accountId);
    expect(world.push.pushed).toHaveLength(probe - 1);
    world.clock.advance(1);
    await world.send(accountId);
    expect(world.push.pushed).toHaveLength(probe);
  }
  expect(pauses).toEqual([15, 15, 30, 60, 60, 60]);
  expect(alarms).toHaveBeenCalledTimes(1);
});

it('is over once a probe is accepted: then every device that is due is pushed', async () => {
  const ids = await devices(3);
  await world.change(accountId, serial);
  await world.send(accountId);
  world.push.pushed.length = 0;
  world.push.answer = () => ({});
  world.clock.advance(minutes(15));
  await world.get(PushSchedule).look();
  expect(await world.jobs(ApplePushDue.task, accountId)).not.toEqual([]);
  await world.send(accountId);
  expect([...world.push.pushed].sort()).toEqual(ids);
  expect(await halt()).toBeNull();
});

it('is over once the account has another certificate, without waiting', async () => {
  const ids = await devices(3);
  await world.change(accountId, serial);
  await world.send(accountId);
  world.push.pushed.length = 0;
  world.push.answer = () => ({});
  world.signer.replaced = { fingerprint: '1'.repeat(64) };
  await world.send(accountId);
  expect([...world.push.pushed].sort()).toEqual(ids);
  expect(await halt()).toBeNull();
});

it('is another one, with an alarm of its own, when the new certificate is refused too', async () => {
  await devices(1);
  await world.change(accountId, serial);
  await world.send(accountId);
  world.signer.replaced = { fingerprint: '1'.repeat(64) };
  world.clock.advance(60);
  await world.send(accountId);
  expect(await halt()).toMatchObject({ fingerprint: '1'.repeat(64), since: world.clock.now() });
  expect(alarms).toHaveBeenCalledTimes(2);
});

it('probes once, however many nodes look at the same moment', async () => {
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

it('goes on when a probe told nothing, and deletes no device for a token that seems bad meanwhile', async () => {
  const [id = ''] = await devices(1);
  await world.change(accountId, serial);
  await world.send(accountId);
  for (const answer of [
    { outcome: 'retry', status: 503 },
    { outcome: 'bad_token', status: 400 },
    { outcome: 'bad_token', status: 400 },
  ] as const) {
    world.push.answer = () => answer;
    world.clock.advance(minutes(16));
    await world.send(accountId);
    expect(await halt()).not.toBeNull();
    expect(await retryMinutes()).toBe(1);
  }
  expect(await world.row(accountId, id)).toMatchObject({ bad_tokens: 0 });
});

it("halts one account, and none of the others'", async () => {
  await devices(1);
  await world.change(accountId, serial);
  await world.send(accountId);
  const other = await world.account();
  const theirs = await world.pass(other);
  world.clock.advance(5);
  const device = await world.device(other, theirs);
  await world.change(other, theirs);
  world.push.answer = () => ({});
  await world.send(other);
  expect(world.push.pushed).toContain(device);
});

it('halts with a certificate that cannot be used, until there is one', async () => {
  const [id = ''] = await devices(1);
  jest.spyOn(world.signer, 'identity').mockRejectedValueOnce(new Error('it has expired'));
  await world.change(accountId, serial);
  await world.send(accountId);
  expect(await halt()).toMatchObject({ fingerprint: 'none' });
  world.push.answer = () => ({});
  await world.send(accountId);
  expect(world.push.count(id)).toBe(2);
  expect(await halt()).toBeNull();
});
