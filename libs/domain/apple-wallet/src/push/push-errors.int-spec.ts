import { Logger } from '@nestjs/common';
import { Database, runWithNext } from '@passwright/database';
import { DeviceRegistrationsRepository } from '../devices/device-registrations.repository.js';
import { PushCircuitsRepository } from './push-circuits.repository.js';
import { PushPages } from './push-pages.service.js';
import { type ClaimedPage, PushQueueRepository } from './push-queue.repository.js';
import type { PushedDevice } from './push-outcome.js';
import { passType, UpdatesWorld } from '../updates.fixtures.js';
import { ApplePushDue } from './push.jobs.js';
import { PushClockRepairCron } from './push-clock-repair.cron.js';

/*
 * Tests push errors of single devices and errors of unknown cause. Retries must end, and must not block other devices.
 */
let world: UpdatesWorld;
let accountId: string;
let serial: string;
let devices: string[];

const hour = 3600;
const notForTopic = { outcome: 'invalid', status: 400, reason: 'DeviceTokenNotForTopic' } as const;
const unknown = { outcome: 'rejected', status: 418, reason: 'SomethingNew' } as const;
const circuit = () => world.get(PushCircuitsRepository).find(accountId, world.signer.replaced.fingerprint!);
const row = (deviceId: string) => world.row(accountId, deviceId);

beforeAll(async () => (world = await UpdatesWorld.start()));
afterAll(() => world.stop());
beforeEach(async () => {
  jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
  jest.spyOn(Logger.prototype, 'log').mockReturnValue(undefined);
  world.push.result = () => ({});
  world.push.pushed.length = 0;
  accountId = await world.account();
  serial = await world.pass(accountId);
  devices = [];
  world.clock.advance(60);
});
afterEach(() => jest.restoreAllMocks());

async function addDevices(count: number): Promise<void> {
  for (let i = 0; i < count; i++) devices.push(await world.device(accountId, serial));
}

/** Adds passes with one device each. @returns their serial numbers */
async function addPassesWithDevices(count: number): Promise<string[]> {
  const serials: string[] = [];
  for (let i = 0; i < count; i++) {
    const one = await world.pass(accountId);
    devices.push(await world.device(accountId, one));
    serials.push(one);
  }
  return serials;
}

/** Runs the schedule repeatedly for `seconds`, every `step` seconds. */
async function pass(seconds: number, step: number, between?: () => Promise<void>) {
  for (let passed = 0; passed < seconds; passed += step) {
    world.clock.advance(step);
    await world.send(accountId);
    await between?.();
  }
}

describe('an invalid push', () => {
  it('an invalid push is logged and not sent again until the next change', async () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    await addDevices(2);
    const [device = '', other = ''] = devices;
    world.push.result = (token) => (token === device ? notForTopic : {});
    await world.change(accountId, serial);
    await world.send(accountId);
    await world.fetch(accountId, other);
    await pass(12 * hour, 600);
    expect(world.push.count(device)).toBe(1);
    expect(await row(device)).toMatchObject({ due_at: null, push_reason: 'DeviceTokenNotForTopic' });
    expect(error).toHaveBeenCalledWith(expect.stringContaining('not sent again: DeviceTokenNotForTopic'));
    world.push.result = () => ({});
    await world.change(accountId, serial);
    await world.send(accountId);
    expect(world.push.count(device)).toBe(2);
  });
});

describe('a token that seems bad', () => {
  const badToken = { outcome: 'bad_token', status: 400, reason: 'BadDeviceToken' } as const;
  const tokens = () =>
    world.db.query('SELECT id, bad_tokens FROM apple_device WHERE account_id = $1 ORDER BY id', [accountId]);
  const untouched = () => devices.map((id) => ({ id, bad_tokens: 0 }));

  it('bad tokens stop all pushes, and do not count against devices, while every push is rejected', async () => {
    await addDevices(5);
    world.push.result = () => badToken;
    for (const _ of [1, 2]) {
      await world.change(accountId, serial);
      await world.send(accountId);
      world.clock.advance(30);
    }
    expect(await tokens()).toEqual(untouched());
    expect(await circuit()).toMatchObject({ reason: expect.stringContaining('BadDeviceToken') as string });
    world.push.result = () => ({});
    world.push.pushed.length = 0;
    await pass(hour, 60);
    expect(new Set(world.push.pushed)).toEqual(new Set(devices));
    expect(await circuit()).toBeNull();
  });

  it('bad tokens do not count against devices while every push is rejected, even if each change affects one device', async () => {
    await addDevices(1);
    const others = await addPassesWithDevices(3);
    world.push.result = () => badToken;
    for (let change = 0; change < 2; change += 1)
      for (const one of [serial, ...others]) {
        await world.change(accountId, one);
        await world.send(accountId);
        world.clock.advance(1);
      }
    expect(await tokens()).toHaveLength(devices.length);
    expect(await circuit()).not.toBeNull();
  });

  it('devices with bad tokens delay the pushes of other devices by at most a minute', async () => {
    await addDevices(2);
    const fakes = new Set(devices);
    const [honest = ''] = await addPassesWithDevices(1);
    await world.change(accountId, honest);
    await world.send(accountId);
    world.push.result = (token) => (fakes.has(token) ? badToken : {});
    await world.change(accountId, serial);
    await world.send(accountId);
    expect(await circuit()).not.toBeNull();
    world.push.pushed.length = 0;
    world.clock.advance(60);
    await world.change(accountId, honest);
    await world.device(accountId, serial);
    await world.send(accountId);
    expect(world.push.pushed[0]).toBe(devices[2]);
    expect(await circuit()).toBeNull();
  });

  it('a bad token counts against the device if another push in the same time slice is accepted', async () => {
    await addDevices(3);
    world.push.result = (token) => (token === devices[0] ? {} : badToken);
    await world.change(accountId, serial);
    await world.send(accountId);
    expect(await tokens()).toEqual(devices.map((id, index) => ({ id, bad_tokens: index === 0 ? 0 : 1 })));
    expect(await circuit()).toBeNull();
  });
});

describe('a device whose push is rejected', () => {
  it('a device whose push is rejected stays registered, while all other devices get their pushes', async () => {
    await addDevices(10);
    const [rejected = ''] = devices;
    world.push.result = (token) => (token === rejected ? unknown : {});
    await world.change(accountId, serial);
    await world.send(accountId);
    expect([...world.push.pushed].sort()).toEqual(devices);
    expect(await circuit()).toBeNull();
    expect(await row(rejected)).toMatchObject({ push_failures: 1, push_status: 418 });
    expect((await row(rejected))!.due_at!.getTime()).toBeGreaterThan(world.clock.now().getTime());
    await pass(12 * hour, 600);
    expect(await circuit()).toBeNull();
    expect(await row(rejected)).toMatchObject({ due_at: null });
  });

  it('a single rejected device never stops the pushes of others, however many pushes it gets', async () => {
    await addDevices(1);
    world.push.result = () => unknown;
    await world.change(accountId, serial);
    await pass(2 * hour, 60);
    expect(world.push.pushed.length).toBeGreaterThan(5);
    expect(await circuit()).toBeNull();
  });

  it('all pushes stop if a second device is rejected for the same reason and no push was accepted', async () => {
    await addDevices(2);
    world.push.result = () => notForTopic;
    await world.change(accountId, serial);
    await world.send(accountId);
    expect(await circuit()).toMatchObject({ accountId, reason: 'DeviceTokenNotForTopic' });
    const neighbour = await world.account();
    const theirs = await world.pass(neighbour);
    const phone = await world.device(neighbour, theirs);
    world.clock.advance(5);
    await world.change(neighbour, theirs);
    world.push.result = () => ({});
    await world.send(neighbour);
    expect(world.push.count(phone)).toBe(1);
  });

  it('the next trial push does not go to a rejected device', async () => {
    await addDevices(3);
    const [first, second, sound] = devices as [string, string, string];
    await world.db.query('UPDATE apple_device SET push_not_before = $2 WHERE id = $1', [
      sound,
      new Date(world.clock.now().getTime() + 600_000),
    ]);
    world.push.result = (token) => (token === sound ? {} : notForTopic);
    await world.change(accountId, serial);
    await world.send(accountId);
    expect(await circuit()).not.toBeNull();
    world.push.pushed.length = 0;
    await pass(900, 900);
    expect(world.push.pushed).toEqual([sound, first, second]);
    expect(await circuit()).toBeNull();
  });
});

it('the service stops repeating a push that fails for hours, and sends a push again after the next change', async () => {
  await addDevices(1);
  const [device = ''] = devices;
  for (const result of [
    { outcome: 'gone', status: 410, goneSince: new Date(world.clock.now().getTime() - 600_000) },
    { outcome: 'retry', status: 500 },
  ] as const) {
    world.push.pushed.length = 0;
    world.push.result = () => result;
    await world.change(accountId, serial);
    await pass(24 * hour, 300);
    expect(world.push.pushed).toHaveLength(14);
    expect(await row(device)).toMatchObject({ due_at: null });
    world.clock.advance(hour);
  }
  await world.change(accountId, serial);
  await world.send(accountId);
  expect(await row(device)).toMatchObject({ push_failures: 1 });
});

it('an outage of the push service, even for days, does not count as a failure of devices', async () => {
  await addDevices(1);
  const [device = ''] = devices;
  world.push.result = () => ({ outcome: 'retry', pushId: null, status: null });
  await world.change(accountId, serial);
  await pass(48 * hour, 600);
  expect((await row(device))!.due_at).not.toBeNull();
  world.push.result = () => ({});
  await pass(hour, 600);
  expect(await row(device)).toMatchObject({ push_status: 200 });
});

it('the service sends at most five pushes to a wallet that fetches a change but never lists it', async () => {
  await addDevices(1);
  const [device = ''] = devices;
  await world.change(accountId, serial);
  await world.send(accountId);
  await pass(72 * hour, 600, async () => {
    await world.db.query('UPDATE apple_registration SET fetched_at = $2, fetched_status = 304 WHERE account_id = $1', [
      accountId,
      world.clock.now(),
    ]);
  });
  expect(world.push.count(device)).toBe(5);
  expect(await row(device)).toMatchObject({ due_at: null });
});

it('the service sends no push to a device of a former pass type, and clears its due push', async () => {
  await addDevices(2);
  const [other = '', mine = ''] = devices;
  await world.db.query(`UPDATE apple_device SET pass_type_identifier = 'pass.former' WHERE id = $1`, [other]);
  await world.change(accountId, serial);
  await world.send(accountId);
  expect(world.push.pushed).toEqual([mine]);
  expect(await row(other)).toMatchObject({ due_at: null, pushed_at: null });
});

const failing = ({ devices: taken }: ClaimedPage): PushedDevice[] =>
  taken.map((device) => ({
    device,
    result: { outcome: 'retry', pushId: 'id', status: 429, reason: 'R', goneSince: null, retryAfterSeconds: 86_400 },
  }));

it('a change during a push causes another push, whatever the result of the first push', async () => {
  await addDevices(1);
  const [device = ''] = devices;
  await world.db.query('UPDATE apple_device SET push_attempts = 3 WHERE account_id = $1', [accountId]);
  await world.change(accountId, serial);
  const page = await world.get(PushPages).claim({ accountId, passTypeIdentifier: passType }, 10);
  world.clock.advance(5);
  await world.change(accountId, serial);
  await world.get(PushPages).record(accountId, failing(page));
  await world.send(accountId);
  expect(await row(device)).toMatchObject({ push_attempts: 0, push_failures: 1 });
  world.clock.advance(86_400);
  await world.send(accountId);
  expect(world.push.pushed).toEqual([device]);
  expect(await row(device)).toMatchObject({ push_attempts: 1, push_failures: 0 });
});

describe('a new push token', () => {
  const renew = (deviceId: string) =>
    world
      .get(Database)
      .transaction((tx) =>
        new DeviceRegistrationsRepository(world.get(Database)).renewPushToken(
          tx,
          { passTypeIdentifier: passType, deviceLibraryIdentifier: deviceId },
          `${deviceId}new`,
          world.clock.now(),
        ),
      );

  it('a device with a new push token gets a push immediately, even if the old token had to wait', async () => {
    await addDevices(1);
    const [device = ''] = devices;
    world.push.result = () => ({ outcome: 'retry', status: 429, retryAfterSeconds: 86_400 });
    await world.change(accountId, serial);
    await world.send(accountId);
    await renew(device);
    expect(await row(device)).toMatchObject({ push_failures: 0, push_not_before: null, bad_tokens: 0 });
    world.push.result = () => ({});
    await world.send(accountId);
    expect(world.push.pushed).toEqual([device, `${device}new`]);
  });

  it('a new push token does not inherit the result of a push to the old token', async () => {
    await addDevices(1);
    const [device = ''] = devices;
    await world.change(accountId, serial);
    const page = await world.get(PushPages).claim({ accountId, passTypeIdentifier: passType }, 10);
    await renew(device);
    await world.get(PushPages).record(accountId, failing(page));
    const fresh = { push_failures: 0, push_not_before: null, push_status: 429, due_at: world.clock.now() };
    expect(await row(device)).toMatchObject(fresh);
  });

  it('the service does not send a push to the new token of a device that is up to date', async () => {
    await addDevices(1);
    const [device = ''] = devices;
    await renew(device);
    await world.send(accountId);
    expect(world.push.pushed).toEqual([]);
    expect(await row(device)).toMatchObject({ due_at: null });
  });
});

describe('a database failure', () => {
  it('the service keeps push results if the database fails once while they are recorded', async () => {
    await addDevices(150);
    const queue = world.get(PushQueueRepository);
    jest.spyOn(queue, 'end').mockRejectedValueOnce(new Error('the connection was lost'));
    await world.change(accountId, serial);
    await world.send(accountId);
    await pass(120, 60);
    expect([...world.push.pushed].sort()).toEqual(devices);
  });

  it('the service sends a push again if the commit of its result fails', async () => {
    await addDevices(2);
    const queue = world.get(PushQueueRepository);
    const end = queue.end.bind(queue);
    const failingEnd = jest.spyOn(queue, 'end').mockImplementation(async (tx, ...rest) => {
      await end(tx, ...rest);
      await runWithNext(tx, 'SELECT 1 / 0', []);
    });
    await world.change(accountId, serial);
    await expect(world.send(accountId)).rejects.toThrow('division by zero');
    failingEnd.mockRestore();
    for (const device of devices) expect(await row(device)).toMatchObject({ push_status: null, pushed_at: null });
    await pass(120, 60);
    expect([...world.push.pushed].sort()).toEqual([...devices, ...devices].sort());
    for (const device of devices) expect(await row(device)).toMatchObject({ push_status: 200 });
  });

  it('the service records the results of the second batch even if it cannot record those of the first', async () => {
    await addDevices(150);
    const queue = world.get(PushQueueRepository);
    const end = queue.end.bind(queue);
    let lost: string | undefined;
    jest.spyOn(queue, 'end').mockImplementation((tx, account, claim, left, now) => {
      lost ??= claim;
      return claim === lost ? Promise.reject(new Error('the connection was lost')) : end(tx, account, claim, left, now);
    });
    await world.change(accountId, serial);
    await expect(world.send(accountId)).rejects.toThrow('the connection was lost');
    const [reported] = await world.db.query<{ count: number }[]>(
      'SELECT count(*)::int AS count FROM apple_device WHERE account_id = $1 AND push_status = 200',
      [accountId],
    );
    expect(reported).toEqual({ count: 50 });
  });
});

describe('after the database clock was 400 days ahead', () => {
  const ahead = 400 * 24 * hour;

  it('each device gets a push for each change after the clock was 400 days ahead', async () => {
    await addDevices(1);
    const [device = ''] = devices;
    world.clock.advance(ahead);
    await world.change(accountId, serial);
    await world.send(accountId);
    world.clock.advance(-ahead);
    for (const count of [2, 3]) {
      world.clock.advance(60);
      await world.change(accountId, serial);
      await world.send(accountId);
      expect(world.push.count(device)).toBe(count);
    }
  });

  it('devices that were marked due while the clock was an hour ahead get a push once their due times are repaired', async () => {
    await addDevices(1);
    const [device = ''] = devices;
    world.clock.advance(hour);
    await world.change(accountId, serial);
    await world.send(accountId);
    world.clock.advance(1);
    await world.change(accountId, serial);
    await world
      .get(PushCircuitsRepository)
      .open({ accountId, fingerprint: world.signer.replaced.fingerprint! }, 'a test', world.clock.now());
    world.clock.advance(-hour);
    await world.takeJobs(accountId);
    await world.get(PushClockRepairCron).repair();
    expect(await world.jobs(ApplePushDue.task, accountId)).toHaveLength(1);
    await world.send(accountId);
    expect(world.push.count(device)).toBe(2);
    expect(await circuit()).toBeNull();
    await world.takeJobs('');
  });

  it('the repair of due times does not change claimed batches of devices', async () => {
    await addDevices(1);
    const soon = new Date(world.clock.now().getTime() + 60_000);
    await world.lookAt(accountId);
    await world.db.query('UPDATE apple_push_page SET due_at = $2 WHERE account_id = $1', [accountId, soon]);
    await world.get(PushClockRepairCron).repair();
    expect(await world.pages(accountId)).toMatchObject([{ due_at: soon }]);
    await world.takeJobs('');
  });

  it('the repair makes batches with a wrong due time due now, and does not change correct due times', async () => {
    await addDevices(2);
    const [late = '', later = ''] = devices;
    const tomorrow = new Date(world.clock.now().getTime() + 24 * hour * 1000);
    world.clock.advance(ahead);
    await world.lookAt(accountId, late);
    world.clock.advance(24 * hour - ahead);
    await world.lookAt(accountId, later);
    world.clock.advance(-24 * hour);
    const key = { accountId, fingerprint: world.signer.replaced.fingerprint! };
    const wrong = new Date(world.clock.now().getTime() + ahead * 1000);
    await world.get(PushCircuitsRepository).open(key, 'a test', wrong);
    await world.get(PushClockRepairCron).run();
    expect(await world.pages(accountId)).toEqual([
      { due_at: world.clock.now(), device_ids: [late] },
      { due_at: tomorrow, device_ids: [later] },
    ]);
    expect(await circuit()).toMatchObject({ retryAt: world.clock.now() });
  });
});
