import { PushFanout } from './push-fanout.handlers.js';
import { PushFanoutRepository, markedAtOnce } from './push-fanout.repository.js';
import { pageSize } from '../push/push-page.entity.js';
import { PushPages } from '../push/push-pages.service.js';
import { passType, running, UpdatesWorld } from '../updates.fixtures.js';
import { ApplePushDue, DevicesLeftToMark, PassChanged } from '../push/push.jobs.js';

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

const templateChange = () => ({ accountId, changed: { templateId: 't' }, afterDeviceId: '' });

it('the fan-out sends a push to exactly the devices of the changed pass', async () => {
  const device = await world.device(accountId, serial);
  await world.device(accountId, await world.pass(accountId));
  await world.change(accountId, serial);
  expect(await world.pages(accountId)).toEqual([{ due_at: world.clock.now(), device_ids: [device] }]);
  expect(await world.jobs(ApplePushDue.task, accountId)).toHaveLength(1);
});

it('the fan-out adds one push job for several changes, but none for a pass without devices', async () => {
  await world.change(accountId, serial);
  expect(await world.jobs(ApplePushDue.task, accountId)).toEqual([]);
  await world.device(accountId, serial);
  for (const _ of [1, 2, 3]) await world.change(accountId, serial);
  expect(await world.jobs(ApplePushDue.task, accountId)).toHaveLength(1);
});

it('after repeated changes, the queue has one batch for the pass and one for its template, due at the first change', async () => {
  const due = world.clock.now();
  const devices = [await world.device(accountId, serial), await world.device(accountId, await world.pass(accountId))];
  for (const _ of [1, 2, 3]) {
    await world.change(accountId, serial);
    await world.get(PushFanout).devicesLeft(templateChange(), running());
    world.clock.advance(5);
  }
  const pages = await world.pages(accountId);
  expect(pages).toEqual([devices.slice(0, 1), devices].map((device_ids) => ({ due_at: due, device_ids })));
});

it('a pass keeps its position in the push queue if it changes again before the push', async () => {
  const device = await world.device(accountId, serial);
  const others: string[] = [];
  for (const _ of [1, 2, 3]) others.push(await world.pass(accountId));
  for (const each of others) await world.device(accountId, each);
  await world.change(accountId, serial);
  for (const each of others) {
    world.clock.advance(5);
    await world.change(accountId, each);
    await world.change(accountId, serial);
  }
  const { devices } = await world.get(PushPages).claim({ accountId, passTypeIdentifier: passType }, 1);
  expect(devices.map(({ id }) => id)).toEqual([device]);
});

it('the fan-out changes neither claimed batches of devices nor batches of other accounts', async () => {
  const other = await world.account();
  const theirs = await world.pass(other);
  await world.device(other, theirs);
  await world.device(accountId, serial);
  for (const [id, of] of [
    [other, theirs],
    [accountId, serial],
  ] as const)
    await world.change(id, of);
  await world.get(PushPages).claim({ accountId, passTypeIdentifier: passType }, 100);
  await world.change(accountId, serial);
  const sql = 'SELECT count(*)::int AS count FROM apple_push_page WHERE account_id IN ($1, $2)';
  expect(await world.db.query(sql, [accountId, other])).toEqual([{ count: 3 }]);
});

it('the fan-out marks the devices of all changed passes of one account, and no devices of another account', async () => {
  const serials = [serial, await world.pass(accountId), await world.pass(accountId)];
  const devices = [];
  for (const each of serials) devices.push(await world.device(accountId, each));
  const other = await world.account();
  const theirs = await world.pass(other);
  const changes = serials.slice(1).map((each) => new PassChanged({ accountId, serialNumber: each }));
  await world.addJobs(...changes, new PassChanged({ accountId: other, serialNumber: theirs }));
  await world.get(PushFanout).passChanged({ accountId, serialNumber: serial });
  const marked = (await world.pages(accountId)).flatMap(({ device_ids }) => device_ids);
  expect(marked.sort()).toEqual(devices);
  expect(await world.jobs(PassChanged.task, accountId)).toEqual([]);
  expect(await world.jobs(PassChanged.task, other)).toHaveLength(1);
});

it('the fan-out leaves the remaining passes to other jobs after the maximum number of devices', async () => {
  const serials = [serial, await world.pass(accountId), await world.pass(accountId)].sort();
  const [first = '', second = '', third = ''] = serials;
  await world.db.query(
    `INSERT INTO apple_device (account_id, id, pass_type_identifier, device_library_identifier, push_token, registered_at)
     SELECT $1, 'd' || lpad(n::text, 5, '0'), 'p', $1 || n, 't' || n, $2 FROM generate_series(1, ${markedAtOnce}) n`,
    [accountId, world.clock.now()],
  );
  await world.db.query(
    `INSERT INTO apple_registration (account_id, device_id, serial_number, template_id, registered_at, seen_at)
     SELECT $1, 'd' || lpad(n::text, 5, '0'), serial, 't', $2, $2
     FROM generate_series(1, ${markedAtOnce}) n, unnest($3::text[]) AS serial WHERE n % 2 = 0`,
    [accountId, world.clock.now(), serials],
  );
  await world.register(accountId, 'd00001', second);
  await world.addJobs(
    new PassChanged({ accountId, serialNumber: third }),
    new PassChanged({ accountId, serialNumber: second }),
  );
  await world.get(PushFanout).passChanged({ accountId, serialNumber: first });
  const pages = await world.pages(accountId);
  expect(pages.flatMap(({ device_ids }) => device_ids)).toHaveLength(markedAtOnce);
  expect(await world.jobs(PassChanged.task, accountId)).toEqual([
    expect.objectContaining({ payload: { accountId, serialNumber: third } }),
  ]);
  expect(await world.jobs(DevicesLeftToMark.task, accountId)).toEqual([
    expect.objectContaining({
      payload: {
        accountId,
        changed: { serialNumber: second },
        afterDeviceId: `d${String(markedAtOnce - 2).padStart(5, '0')}`,
        dueAt: world.clock.now().toISOString(),
      },
    }),
  ]);
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
    // Half of the devices hold two passes of the template.
    await world.db.query(
      `INSERT INTO apple_registration (account_id, device_id, serial_number, template_id, registered_at, seen_at)
       SELECT $1, 'd' || lpad(n::text, 5, '0'), 's' || n || copy, 't', $2, $2
       FROM generate_series(1, ${count}) n, generate_series(0, n % 2) copy`,
      values,
    );
  });

  const marked = async () => {
    const pages = await world.pages(accountId);
    expect(pages.every(({ device_ids }) => device_ids.length <= pageSize)).toBe(true);
    return new Set(pages.flatMap(({ device_ids }) => device_ids)).size;
  };

  it('the service marks devices as due in batches, and adds the push job after the first batch', async () => {
    const pages: number[] = [];
    const repository = world.get(PushFanoutRepository);
    const mark = repository.mark.bind(repository);
    const spy = jest.spyOn(repository, 'mark').mockImplementation(async (...args) => {
      if (pages.length === 1) expect(await world.jobs(ApplePushDue.task, accountId)).toHaveLength(1);
      const page = await mark(...args);
      pages.push(page.marked);
      return page;
    });
    await world.get(PushFanout).devicesLeft(templateChange(), running());
    spy.mockRestore();
    expect(pages).toEqual([markedAtOnce, markedAtOnce, count - 2 * markedAtOnce]);
    expect(await marked()).toBe(count);
    expect(await world.jobs(DevicesLeftToMark.task, accountId)).toEqual([]);
  });

  it.each([
    ['the first and the last page', 0, [true, false, true]],
    ['each page that takes a second', 1, [true, true, true]],
  ])('the service adds a push job after %s', async (_, secondsPerPage, expected) => {
    const called: boolean[] = [];
    const take = async () => {
      called.push((await world.jobs(ApplePushDue.task, accountId)).length > 0);
      await world.takeJobs(accountId);
    };
    const repository = world.get(PushFanoutRepository);
    const mark = repository.mark.bind(repository);
    let pages = 0;
    const spy = jest.spyOn(repository, 'mark').mockImplementation(async (...args) => {
      if (pages++ > 0) await take();
      world.clock.advance(secondsPerPage);
      return mark(...args);
    });
    await world.get(PushFanout).devicesLeft(templateChange(), running());
    spy.mockRestore();
    await take();
    expect(called).toEqual(expected);
  });

  it('the service adds a push job for the marked devices even if its last query finds no more devices', async () => {
    await world.db.query(`DELETE FROM apple_registration WHERE account_id = $1 AND device_id > 'd04000'`, [accountId]);
    const repository = world.get(PushFanoutRepository);
    const mark = repository.mark.bind(repository);
    const spy = jest.spyOn(repository, 'mark').mockImplementation(async (...args) => {
      const page = await mark(...args);
      if (page.marked === 0) await world.takeJobs(accountId);
      return page;
    });
    await world.get(PushFanout).devicesLeft(templateChange(), running());
    spy.mockRestore();
    expect(await world.jobs(ApplePushDue.task, accountId)).toHaveLength(1);
  });

  it('a stopped process leaves one job that sends pushes to marked devices, and one that marks the other devices', async () => {
    await world.get(PushFanout).devicesLeft(templateChange(), running(AbortSignal.abort()));
    expect(await world.jobs(ApplePushDue.task, accountId)).toHaveLength(1);
    expect(await world.jobs(DevicesLeftToMark.task, accountId)).toHaveLength(1);
  });

  it('the service continues after the last device that a stopped process has marked', async () => {
    await world.get(PushFanout).devicesLeft(templateChange(), running(AbortSignal.abort()));
    expect(await marked()).toBe(markedAtOnce);
    const [left] = await world.jobs(DevicesLeftToMark.task, accountId);
    const dueAt = world.clock.now().toISOString();
    expect(left?.payload).toEqual({ accountId, changed: { templateId: 't' }, afterDeviceId: 'd02000', dueAt });
    await world.get(PushFanout).devicesLeft(left!.payload as DevicesLeftToMark['payload'], running());
    expect(await marked()).toBe(count);
  });

  it('another change of the template does not move its devices back in the queue', async () => {
    const due = world.clock.now();
    for (const _ of [1, 2]) {
      await world.get(PushFanout).devicesLeft(templateChange(), running(AbortSignal.abort()));
      const [left] = await world.jobs(DevicesLeftToMark.task, accountId);
      await world.takeJobs(accountId);
      world.clock.advance(5);
      await world.get(PushFanout).devicesLeft(left!.payload as DevicesLeftToMark['payload'], running());
    }
    expect(await marked()).toBe(count);
    for (const page of await world.pages(accountId)) expect(page.due_at).toEqual(due);
  });

  it('the service leaves the remaining devices to another job after 10 seconds', async () => {
    const repository = world.get(PushFanoutRepository);
    const mark = repository.mark.bind(repository);
    const spy = jest.spyOn(repository, 'mark').mockImplementation((...args) => {
      world.clock.advance(6);
      return mark(...args);
    });
    await world.get(PushFanout).devicesLeft(templateChange(), running());
    spy.mockRestore();
    expect(await world.jobs(DevicesLeftToMark.task, accountId)).toMatchObject([
      { payload: { afterDeviceId: 'd04000' } },
    ]);
  });
});
