import { Clock } from '@passwright/core';
import { Database } from '@passwright/database';
import { Jobs } from '@passwright/jobs';
import { PushRecordsRepository } from '../push/push-records.repository.js';
import { SilentDevicesCron } from './silent-devices.cron.js';
import { running, UpdatesWorld } from '../updates.fixtures.js';

const DAY_SECONDS = 24 * 60 * 60;
let world: UpdatesWorld;
let accountId: string;
let device: string;

beforeAll(async () => (world = await UpdatesWorld.start()));
afterAll(() => world.stop());
beforeEach(async () => {
  world.clock.set('2026-11-20T10:00:00.000Z');
  world.push.pushed.length = 0;
  world.push.result = () => ({});
  // Delete the devices of other specs, because the job checks all devices.
  await world.db.query('DELETE FROM apple_device');
  accountId = await world.account();
  device = await world.device(accountId, await world.pass(accountId));
});

/** Advances the clock by `days`, and then runs the schedule. */
async function askLater(days: number): Promise<void> {
  world.clock.advance(days * DAY_SECONDS);
  const cron = new SilentDevicesCron(
    world.get(Database),
    world.get(PushRecordsRepository),
    world.get(Jobs),
    world.get(Clock),
  );
  await cron.ask(running());
}
async function askAfter(days: number): Promise<void> {
  await askLater(days);
  await world.send(accountId);
}
const lists = (id: string) =>
  world.db.query('UPDATE apple_device SET listed_at = $2 WHERE id = $1', [id, world.clock.now()]);
const former = () =>
  world.db.query('SELECT device_id, reason FROM apple_former_registration WHERE account_id = $1', [accountId]);

it('the service does not send a push to a silent device that belongs to another wallet', async () => {
  await world.db.query("UPDATE apple_device SET push_token = '-' WHERE id = $1", [device]);
  await askAfter(181);
  expect(world.push.pushed).toEqual([]);
  expect(await world.db.query('SELECT FROM apple_push_page WHERE account_id = $1', [accountId])).toEqual([]);
});

it('the service sends a push to an up-to-date device after 180 silent days, and again after 60 more days', async () => {
  const heard = await world.device(accountId, await world.pass(accountId));
  await askAfter(179);
  expect(world.push.count(device)).toBe(0);
  await lists(heard);
  await askAfter(2);
  expect([world.push.count(device), world.push.count(heard)]).toEqual([1, 0]);
  // The sender repeats the push for a day and a half, because the device does not react.
  for (let hours = 0; hours < 48; hours += 8) await askAfter(1 / 3);
  const pushed = world.push.count(device);
  await askAfter(57);
  expect(world.push.count(device)).toBe(pushed);
  await askAfter(4);
  expect(world.push.count(device)).toBe(pushed + 1);
});

it('the service sends no second push to a silent device once it has reacted to a push', async () => {
  await askAfter(181);
  await lists(device);
  await world.fetch(accountId, device);
  await askAfter(179);
  expect(world.push.count(device)).toBe(1);
});

it('the service deletes a device that stays silent for 400 days, and records why its registrations ended', async () => {
  await askAfter(300);
  await askAfter(99);
  expect(await world.row(accountId, device)).toBeDefined();
  await askAfter(32);
  expect(await world.row(accountId, device)).toBeUndefined();
  expect(await former()).toEqual([{ device_id: device, reason: 'silent' }]);
});

it('the service keeps a silent device if no push has reached it', async () => {
  world.push.result = () => ({ outcome: 'retry', status: 503, reason: 'ServiceUnavailable' });
  for (let n = 0; n < 4; n++) await askAfter(200);
  expect(await world.row(accountId, device)).toBeDefined();
  expect(await former()).toEqual([]);
});

it('the service sends pushes to many silent devices in batches, 200 per second', async () => {
  await world.db.query(
    `INSERT INTO apple_device (account_id, id, pass_type_identifier, device_library_identifier, push_token, registered_at)
     SELECT $1, 'many' || n, 'p', $1 || n, 't' || n, $2 FROM generate_series(1, 249) n`,
    [accountId, world.clock.now()],
  );
  await askLater(181);
  const pages = await world.db.query('SELECT due_at, size FROM apple_push_page WHERE account_id = $1 ORDER BY due_at', [
    accountId,
  ]);
  const at = (seconds: number) => new Date(world.clock.now().getTime() + seconds * 1000);
  expect(pages).toEqual([
    { due_at: at(0), size: 100 },
    { due_at: at(0.5), size: 100 },
    { due_at: at(1), size: 50 },
  ]);
});
