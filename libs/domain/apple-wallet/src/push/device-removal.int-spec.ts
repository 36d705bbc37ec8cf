import type { PushResult } from '@passwright/core';
import { UpdatesWorld } from '../updates.fixtures.js';

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
  world.clock.advance(60);
  device = await world.device(accountId, serial, await world.pass(accountId));
  world.clock.advance(60);
  await world.change(accountId, serial);
});

const before = (seconds: number) => new Date(world.clock.now().getTime() - seconds * 1000);
const result = (changes: Partial<PushResult>) => (world.push.result = () => changes);
const left = () =>
  world.db.query('SELECT device_id, reason, left_at FROM apple_former_registration WHERE account_id = $1', [accountId]);
const registrations = () => world.db.query('SELECT FROM apple_registration WHERE account_id = $1', [accountId]);

/** Advances the clock and changes the pass again. */
async function changeAgain(): Promise<void> {
  world.clock.advance(60);
  await world.change(accountId, serial);
}

async function registerAgain(pushToken = device): Promise<void> {
  await world.db.query('UPDATE apple_device SET registered_at = $2, push_token = $3 WHERE account_id = $1', [
    accountId,
    world.clock.now(),
    pushToken,
  ]);
}

describe('a device that is gone', () => {
  it('the service deletes the device and its registrations, and records the reason for each registration', async () => {
    result({ outcome: 'gone', status: 410, reason: 'Unregistered', goneSince: before(1) });
    await world.send(accountId);
    expect(await world.row(accountId, device)).toBeUndefined();
    expect(await registrations()).toEqual([]);
    const former = { device_id: device, reason: 'gone', left_at: world.clock.now() };
    expect(await left()).toEqual([former, former]);
  });

  it('the service keeps a device that has registered since the failed push, and sends it another push later', async () => {
    const goneSince = before(1);
    await registerAgain();
    result({ outcome: 'gone', status: 410, reason: 'Unregistered', goneSince });
    await world.send(accountId);
    expect(await world.row(accountId, device)).toMatchObject({ push_status: 410, push_failures: 1 });
    expect(await left()).toEqual([]);
    result({});
    world.clock.advance(60);
    await world.send(accountId);
    expect(await world.row(accountId, device)).toMatchObject({ push_status: 200, push_failures: 0 });
  });

  it('the service keeps a device that registers with another token during the push', async () => {
    world.push.result = async () => {
      await registerAgain('another');
      return { outcome: 'gone', status: 410, goneSince: world.clock.now() };
    };
    await world.send(accountId);
    expect(await world.row(accountId, device)).toBeDefined();
    expect(await registrations()).toHaveLength(2);
  });
});

describe('a device whose token is bad', () => {
  it('a device with a bad token gets no second push for the same change, and is deleted after a second bad token', async () => {
    result({ outcome: 'bad_token', status: 400, reason: 'BadDeviceToken' });
    await world.send(accountId);
    for (let hour = 0; hour < 25; hour += 1) {
      world.clock.advance(3600);
      await world.send(accountId);
    }
    expect(world.push.count(device)).toBe(1);
    expect(await world.row(accountId, device)).toMatchObject({ bad_tokens: 1, push_reason: 'BadDeviceToken' });
    await changeAgain();
    await world.send(accountId);
    expect(world.push.count(device)).toBe(2);
    expect(await world.row(accountId, device)).toBeUndefined();
    expect(await left()).toMatchObject([{ reason: 'bad_token' }, { reason: 'bad_token' }]);
  });

  it('the service keeps a device with two rejected tokens if a push in between was accepted', async () => {
    for (const changes of [{ outcome: 'bad_token' }, {}, { outcome: 'bad_token' }] as const) {
      result(changes);
      await world.send(accountId);
      await changeAgain();
    }
    expect(world.push.count(device)).toBe(3);
    expect(await world.row(accountId, device)).toMatchObject({ bad_tokens: 1 });
  });

  it('the service keeps a device that registered again after the first rejected push', async () => {
    result({ outcome: 'bad_token', status: 400 });
    await world.send(accountId);
    world.clock.advance(30);
    await registerAgain();
    await changeAgain();
    await world.send(accountId);
    expect(world.push.count(device)).toBe(2);
    expect(await world.row(accountId, device)).toBeDefined();
  });

  it('the service does not count a rejected token if the device sent a new one during the push', async () => {
    world.push.result = async () => {
      await registerAgain('another');
      return { outcome: 'bad_token', status: 400 };
    };
    await world.send(accountId);
    expect(await world.row(accountId, device)).toMatchObject({ bad_tokens: 0 });
  });
});
