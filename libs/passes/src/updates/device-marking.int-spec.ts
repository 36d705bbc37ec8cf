import { DeviceMarking } from './device-marking.js';
import { DeviceMarkingRepository, markedAtOnce } from './device-marking.repository.js';
import { running, UpdatesWorld } from './updates.fixtures.js';
import { ApplePushDue, DevicesLeftToMark } from './updates.jobs.js';

let world: UpdatesWorld;
let accountId: string;
let serial: string;

beforeAll(async () => (world = await UpdatesWorld.start()));
afterAll(() => world.stop());
beforeEach(async () => {
  accountId = await world.account();
  serial = await world.pass(accountId);
  world.clock.advance(60);
});

const due = async (deviceId: string) => (await world.row(accountId, deviceId))?.due_at;
const setDue = (seconds: number) =>
  world.db.query('UPDATE apple_device SET due_at = $2 WHERE account_id = $1', [
    accountId,
    new Date(world.clock.now().getTime() + seconds * 1000),
  ]);

it('marks the devices of the pass that changed, and no others, and has them pushed', async () => {
  const device = await world.device(accountId, serial);
  const other = await world.device(accountId, await world.pass(accountId));
  await world.change(accountId, serial);
  expect([await due(device), await due(other)]).toEqual([world.clock.now(), null]);
  expect(await world.jobs(ApplePushDue.task, accountId)).toHaveLength(1);
});

it('adds one push job for a burst, and none for a pass that no device holds', async () => {
  await world.change(accountId, serial);
  expect(await world.jobs(ApplePushDue.task, accountId)).toEqual([]);
  await world.device(accountId, serial);
  for (const _ of [1, 2, 3]) await world.change(accountId, serial);
  expect(await world.jobs(ApplePushDue.task, accountId)).toHaveLength(1);
});

it('brings a later look forward, and never puts an earlier one off', async () => {
  const device = await world.device(accountId, serial);
  await setDue(600);
  await world.change(accountId, serial);
  expect(await due(device)).toEqual(world.clock.now());
  await setDue(-5);
  await world.change(accountId, serial);
  expect((await due(device))!.getTime()).toBe(world.clock.now().getTime() - 5000);
});

describe('a template with 5,000 devices', () => {
  const count = 5000;

  beforeEach(async () => {
    const values = [accountId, world.clock.now()];
    await world.db.query(
      `INSERT INTO apple_device (account_id, id, pass_type_identifier, device_library_identifier, push_token, registered_at)
       SELECT $1, 'd' || lpad(n::text, 5, '0'), 'p', $1 || n, 't' || n, $2 FROM generate_series(1, ${count}) n`,
      values,
    );
    // Two passes of it on every other device.
    await world.db.query(
      `INSERT INTO apple_registration (account_id, device_id, serial_number, template_id, registered_at, seen_at)
       SELECT $1, 'd' || lpad(n::text, 5, '0'), 's' || n || copy, 't', $2, $2
       FROM generate_series(1, ${count}) n, generate_series(0, n % 2) copy`,
      values,
    );
  });

  const marked = async () => {
    const sql = 'SELECT count(*)::int AS count FROM apple_device WHERE account_id = $1 AND due_at = $2';
    const [row] = await world.db.query<{ count: number }[]>(sql, [accountId, world.clock.now()]);
    return row!.count;
  };

  it('is marked in pages, with the push job there from the first on', async () => {
    const pages: number[] = [];
    const repository = world.get(DeviceMarkingRepository);
    const mark = repository.mark.bind(repository);
    const spy = jest.spyOn(repository, 'mark').mockImplementation(async (...args) => {
      if (pages.length === 1) expect(await world.jobs(ApplePushDue.task, accountId)).toHaveLength(1);
      const page = await mark(...args);
      pages.push(page.marked);
      return page;
    });
    await world.get(DeviceMarking).templateChanged({ accountId, templateId: 't' }, running());
    spy.mockRestore();
    expect(pages).toEqual([markedAtOnce, markedAtOnce, count - 2 * markedAtOnce]);
    expect(await marked()).toBe(count);
    expect(await world.jobs(DevicesLeftToMark.task, accountId)).toEqual([]);
  });

  it('goes on where it was when the process stops', async () => {
    const payload = { accountId, templateId: 't' };
    await world.get(DeviceMarking).templateChanged(payload, running(AbortSignal.abort()));
    expect(await marked()).toBe(markedAtOnce);
    const [left] = await world.jobs(DevicesLeftToMark.task, accountId);
    expect(left?.payload).toEqual({ accountId, changed: { templateId: 't' }, afterDeviceId: 'd02000' });
    await world.get(DeviceMarking).devicesLeft(left!.payload as DevicesLeftToMark['payload'], running());
    expect(await marked()).toBe(count);
  });

  it('leaves the rest to another job after 10 seconds', async () => {
    const repository = world.get(DeviceMarkingRepository);
    const mark = repository.mark.bind(repository);
    const spy = jest.spyOn(repository, 'mark').mockImplementation((...args) => {
      world.clock.advance(6);
      return mark(...args);
    });
    await world.get(DeviceMarking).templateChanged({ accountId, templateId: 't' }, running());
    spy.mockRestore();
    expect(await world.jobs(DevicesLeftToMark.task, accountId)).toMatchObject([
      { payload: { afterDeviceId: 'd04000' } },
    ]);
  });
});
