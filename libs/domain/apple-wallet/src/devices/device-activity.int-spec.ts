import { Database } from '@passwright/database';
import { lockWaitsSql } from '@passwright/testing';
import { TestAccount, TestApp } from '../test-app.fixtures.js';
import { DeviceActivity } from './device-activity.service.js';
import { DeviceActivityRepository } from './device-activity.repository.js';
import { issued, passType, Phone } from '../phone.fixtures.js';
import { PassDevicesService } from './pass-devices.service.js';

let app: TestApp;
let database: Database;
let activity: DeviceActivity;
let account: TestAccount;
let serial: string;
let phones: Phone[];

beforeAll(async () => {
  app = await TestApp.start();
  database = app.get(Database);
  activity = app.get(DeviceActivity);
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-20T10:00:00.500Z');
  account = await app.account();
  await account.template('offer');
  serial = await issued(app, account, 'offer/ada');
  phones = [new Phone(app), new Phone(app), new Phone(app)];
});
afterEach(() => jest.restoreAllMocks());

interface Row {
  readonly phone: string;
  readonly listed_at: Date | null;
  readonly due_at: Date | null;
  readonly push_attempts: number;
  readonly seen_at: Date;
  readonly fetched_at: Date | null;
  readonly fetched_status: number | null;
}

/** Flushes the activity from memory to the database, and returns the row of a phone's registration for the pass. */
async function known(phone: Phone, of = serial): Promise<Row> {
  await activity.flush();
  const rows = await database.reads.query<Row[]>(
    `SELECT d.listed_at, d.due_at, d.push_attempts, r.seen_at, r.fetched_at, r.fetched_status
     FROM apple_device d JOIN apple_registration r ON r.account_id = d.account_id AND r.device_id = d.id
     WHERE d.device_library_identifier = $1 AND r.serial_number = $2`,
    [phone.deviceLibraryIdentifier, of],
  );
  return rows[0]!;
}

const makeDue = () =>
  database.reads.query('UPDATE apple_device SET due_at = now(), push_attempts = 2 WHERE account_id = $1', [account.id]);
const version = (seconds: number) => new Date(Date.parse('2026-11-20T10:00:00.500Z') + seconds * 1000);

describe('the recorded activity of a device', () => {
  it('the service records when a device lists changes, which version it fetches, and the status of each fetch', async () => {
    const [phone] = phones as [Phone];
    await phone.register(serial);
    app.clock.advance(10);
    await phone.list();
    expect(await known(phone)).toMatchObject({ listed_at: version(10), fetched_at: null, seen_at: version(0) });

    app.clock.advance(10);
    await account.patch('offer/ada', { code: 'NEW' }).expect(200);
    app.clock.advance(10);
    const { headers } = await phone.fetch(serial).expect(200);
    expect(await known(phone)).toMatchObject({ seen_at: version(20), fetched_at: version(30), fetched_status: 200 });

    app.clock.advance(10);
    await phone.fetch(serial, headers['last-modified']).expect(304);
    expect(await known(phone)).toMatchObject({ seen_at: version(20), fetched_at: version(40), fetched_status: 304 });
  });

  it('the service does not write device activity to the database during a request', async () => {
    const [phone] = phones as [Phone];
    await phone.register(serial);
    // Stop the scheduled flush, which could run before the assertion on a busy machine.
    const flush = jest.spyOn(activity, 'flush').mockResolvedValue();
    const transactions = jest.spyOn(database, 'transaction');
    await phone.list();
    await phone.fetch(serial).expect(200);
    expect(transactions).not.toHaveBeenCalled();
    flush.mockRestore();
    await activity.flush();
    expect(transactions).toHaveBeenCalled();
  });

  it('the service writes device activity automatically after about a second', async () => {
    const [phone] = phones as [Phone];
    await phone.register(serial);
    const written = new Promise<void>((resolve) => {
      const repository = app.get(DeviceActivityRepository);
      const write = repository.write.bind(repository);
      jest.spyOn(repository, 'write').mockImplementation(async (...args) => {
        await write(...args);
        resolve();
      });
    });
    await phone.list();
    await written;
    expect(await known(phone)).toMatchObject({ listed_at: version(0) });
  });

  it('the service does not record activity for HEAD requests, wrong tokens or unknown devices', async () => {
    const [phone] = phones as [Phone];
    await phone.register(serial);
    await app.request('head', phone.passPath(serial)).set('Authorization', phone.authorization(serial)).expect(200);
    await app.request('get', phone.passPath(serial)).expect(401);
    const write = jest.spyOn(app.get(DeviceActivityRepository), 'write');
    await new Phone(app).list();
    const list = `/v1/devices/${phone.deviceLibraryIdentifier}/registrations/${passType}`;
    await app.request('head', list).expect(200);
    expect(await known(phone)).toMatchObject({ fetched_at: null, listed_at: null });
    expect(write).not.toHaveBeenCalled();
  });

  it('the service does not replace the version that a device has seen with an earlier version', async () => {
    const [phone] = phones as [Phone];
    await phone.register(serial);
    const fetched = { accountId: account.id, serialNumber: serial, status: 200 as const };
    activity.fetched({ ...fetched, versionAt: version(60), at: version(61) });
    expect(await known(phone)).toMatchObject({ seen_at: version(60), fetched_at: version(61) });
    activity.fetched({ ...fetched, status: 304, versionAt: version(30), at: version(31) } as never);
    expect(await known(phone)).toMatchObject({ seen_at: version(60), fetched_at: version(61), fetched_status: 200 });
  });

  it('the service keeps activity in memory until it can be written', async () => {
    const [phone] = phones as [Phone];
    await phone.register(serial);
    jest.spyOn(app.get(DeviceActivityRepository), 'write').mockRejectedValueOnce(new Error('connect ECONNREFUSED'));
    await phone.list();
    await expect(activity.flush()).rejects.toThrow('ECONNREFUSED');
    expect(await known(phone)).toMatchObject({ listed_at: version(0) });
  });

  it('the service drops the oldest activity when memory is full', async () => {
    const write = jest.spyOn(app.get(DeviceActivityRepository), 'write').mockResolvedValue();
    const at = app.clock.now();
    for (let n = 0; n < 20_100; n++) {
      activity.listed({
        passTypeIdentifier: passType,
        deviceLibraryIdentifier: `d${n}`,
        snapshot: '1:1:',
        since: null,
        at,
      });
      activity.fetched({ accountId: 'acc', serialNumber: `s${n}`, versionAt: at, status: 200, at });
      activity.fetched({ accountId: 'acc', serialNumber: 's20099', versionAt: at, status: 200, at });
    }
    await activity.flush();
    const [, lists, fetches] = write.mock.calls[0]!;
    expect([lists.length, lists[0]!.deviceLibraryIdentifier, lists.at(-1)!.deviceLibraryIdentifier]).toEqual([
      20_000,
      'd100',
      'd20099',
    ]);
    expect(fetches.length).toBeLessThan(20_020);
    expect(fetches.filter(({ serialNumber }) => serialNumber === 's20099')).toHaveLength(10);
  });
});

describe('a fetch of a pass that several devices hold', () => {
  beforeEach(async () => {
    for (const phone of phones) await phone.register(serial).expect(201);
    app.clock.advance(60);
    await account.patch('offer/ada', { code: 'NEW' }).expect(200);
  });
  const haveFetched = async () => {
    const rows = await Promise.all(phones.map((phone) => known(phone)));
    return rows.map(({ fetched_at }) => fetched_at !== null);
  };

  it('the service attributes a fetch to a device that has not fetched the pass since it listed changes', async () => {
    const [first, second] = phones as [Phone, Phone];
    for (const phone of [first, second]) {
      app.clock.advance(5);
      await phone.list();
    }
    await second.fetch(serial);
    expect(await haveFetched()).toEqual([false, true, false]);
    app.clock.advance(5);
    await first.fetch(serial);
    expect(await haveFetched()).toEqual([true, true, false]);
  });

  it('the service attributes two fetches to two devices if both fetches happen before the activity is written', async () => {
    const [first, , third] = phones as [Phone, Phone, Phone];
    for (const phone of [first, third]) await phone.list();
    for (const phone of [first, third]) await phone.fetch(serial);
    expect(await haveFetched()).toEqual([true, false, true]);
  });

  it('the service attributes two fetches to two devices, even if the write of the first fetch fails in between', async () => {
    const [first, , third] = phones as [Phone, Phone, Phone];
    for (const phone of [first, third]) await phone.list();
    await activity.flush();
    await first.fetch(serial);
    jest.spyOn(app.get(DeviceActivityRepository), 'write').mockImplementationOnce(async () => {
      await third.fetch(serial);
      throw new Error('connect ECONNREFUSED');
    });
    await expect(activity.flush()).rejects.toThrow('ECONNREFUSED');
    expect(await haveFetched()).toEqual([true, false, true]);
  });

  it('the service does not attribute a fetch to a device that has never listed changes', async () => {
    await phones[0]!.fetch(serial);
    expect(await haveFetched()).toEqual([false, false, false]);
  });

  it('the service attributes a fetch to the device that listed changes last if all devices have already fetched the pass', async () => {
    const [first, second] = phones as [Phone, Phone];
    for (const phone of [first, second]) {
      app.clock.advance(5);
      await phone.list();
      await phone.fetch(serial);
      await activity.flush();
    }
    app.clock.advance(60);
    await first.fetch(serial);
    expect(await known(second)).toMatchObject({ fetched_at: app.clock.now() });
    expect(await haveFetched()).toEqual([true, true, false]);
  });
});

describe('a device that holds the current version of all its passes', () => {
  it('the service clears the due push of a device that is up to date, but not of a device that lacks a change', async () => {
    const [phone] = phones as [Phone];
    const other = await issued(app, account, 'offer/bob');
    for (const held of [serial, other]) await phone.register(held).expect(201);
    app.clock.advance(60);
    await account.archive('offer');
    await makeDue();
    await phone.fetch(serial).expect(200);
    expect(await known(phone)).toMatchObject({ due_at: expect.any(Date), push_attempts: 2 });
    await phone.fetch(other).expect(200);
    expect(await known(phone)).toMatchObject({ due_at: null, push_attempts: 0 });
  });

  it('a device is up to date again after it has fetched the void package of a deleted pass', async () => {
    const [phone] = phones as [Phone];
    await phone.register(serial).expect(201);
    app.clock.advance(60);
    await account.delete('offer/ada').expect(204);
    await makeDue();
    await phone.list();
    expect(await known(phone)).toMatchObject({ due_at: expect.any(Date) });
    await phone.fetch(serial).expect(200);
    expect(await known(phone)).toMatchObject({ due_at: null, push_attempts: 0, seen_at: version(60) });
  });

  it('the service clears the due push of a device whose tag is newer than the change, even without a recorded fetch', async () => {
    const [phone] = phones as [Phone];
    await phone.register(serial).expect(201);
    await account.patch('offer/ada', { code: 'NEW' }).expect(200);
    await makeDue();
    await phone.list();
    expect(await known(phone)).toMatchObject({ due_at: expect.any(Date), seen_at: version(0) });
    // The node crashes before it records the fetch, but the phone's tag shows that it has the pass.
    await phone.list();
    expect(await known(phone)).toMatchObject({ due_at: null, push_attempts: 0, seen_at: version(1) });

    await account.patch('offer/ada', { code: 'NEWER' }).expect(200);
    await makeDue();
    await phone.list();
    expect(await known(phone)).toMatchObject({ due_at: expect.any(Date), seen_at: version(1) });
  });

  it('a device stays due for a push until it has listed the change, even if an unknown client fetches the pass', async () => {
    const [phone] = phones as [Phone];
    await phone.register(serial).expect(201);
    await phone.list();
    await activity.flush();
    await account.patch('offer/ada', { code: 'NEW' }).expect(200);
    await makeDue();
    // This request has the token of the pass but comes from a test tool or another wallet.
    await phone.fetch(serial).expect(200);
    expect(await known(phone)).toMatchObject({ due_at: expect.any(Date) });

    await phone.list();
    await activity.flush();
    await phone.fetch(serial).expect(200);
    expect(await known(phone)).toMatchObject({ due_at: null, push_attempts: 0 });
  });

  it('a device that registers after a change of the pass stays due for a push until it has listed and fetched the pass', async () => {
    const [phone] = phones as [Phone];
    const trace = async () => {
      const [device] = await app.get(PassDevicesService).list(account.id, serial, '', 1);
      return device && 'reported' in device && device.reported ? 'up_to_date' : 'waiting';
    };
    await account.patch('offer/ada', { code: 'NEW' }).expect(200);
    await phone.register(serial).expect(201);
    expect(await trace()).toBe('waiting');
    expect(await known(phone)).toMatchObject({ due_at: version(30) });
    // This fetch belongs to an unknown device, because no device has listed changes.
    await phone.fetch(serial).expect(200);
    expect(await trace()).toBe('waiting');
    await phone.list();
    await phone.fetch(serial).expect(200);
    expect(await trace()).toBe('up_to_date');
    expect(await known(phone)).toMatchObject({ due_at: null });
  });

  it('a device stays due for a push if another change commits while the service checks the device', async () => {
    const [phone] = phones as [Phone];
    await phone.register(serial).expect(201);
    await makeDue();
    await phone.fetch(serial).expect(200);
    let flushing: Promise<void> | undefined;
    await database.transaction(async (tx) => {
      // Mark the devices as due, as the job after a change does.
      await tx.query('UPDATE apple_device SET due_at = now() WHERE account_id = $1', [account.id]);
      flushing = activity.flush();
      while ((await database.reads.query<unknown[]>(lockWaitsSql)).length === 0);
      await tx.query("UPDATE pass SET updated_at = now() + interval '1 h' WHERE account_id = $1", [account.id]);
    });
    await flushing;
    expect(await known(phone)).toMatchObject({ due_at: expect.any(Date) });
  });
});

describe('the recorded activity of a device after a restore', () => {
  const begin = (incarnation: string) =>
    database.transaction((tx) => tx.query('UPDATE incarnation SET id = $1', [incarnation]));
  beforeEach(() => (database.incarnation = ''));
  afterEach(async () => {
    await begin('');
    database.incarnation = null;
  });

  /** Resets the recorded progress of all devices, like the repair after a restore. */
  const forget = () =>
    database.transaction((tx) => tx.query("UPDATE apple_registration SET seen_at = 'epoch', registered_in = NULL"));

  it('a node that has not yet noticed a restore does not record device activity', async () => {
    const [phone] = phones as [Phone];
    await phone.register(serial);
    await begin('restored');
    await phone.list();
    await phone.fetch(serial).expect(200);
    await forget();
    expect(await known(phone)).toMatchObject({ listed_at: null, fetched_at: null, seen_at: new Date(0) });

    database.incarnation = 'restored';
    await phone.list();
    await phone.fetch(serial).expect(200);
    expect(await known(phone)).toMatchObject({ listed_at: version(0), fetched_at: version(0), seen_at: version(0) });
  });
});

it('many nodes can write device activity while the same devices register', async () => {
  const many = Array.from({ length: 12 }, () => new Phone(app));
  const serials = await Promise.all(['a', 'b', 'c', 'd'].map((id) => issued(app, account, `offer/${id}`)));
  const fleet = many.map(async (phone, n) => {
    for (let round = 0; round < 3; round++) {
      for (const held of serials) expect([200, 201]).toContain((await phone.register(held, `a${n}b${round}`)).status);
      await phone.list();
      await phone.fetch(serials[n % 4]!);
    }
  });
  const repository = app.get(DeviceActivityRepository);
  const otherNodes = Array.from({ length: 30 }, () => {
    const at = app.clock.now();
    return repository.write(
      null,
      many
        .map(({ deviceLibraryIdentifier }) => ({
          passTypeIdentifier: passType,
          deviceLibraryIdentifier,
          snapshot: '1:1:',
          since: null,
          at,
        }))
        .reverse(),
      serials.map((serialNumber) => ({ accountId: account.id, serialNumber, versionAt: at, status: 200, at })),
    );
  });
  await Promise.all([...fleet, ...otherNodes, makeDue()]);
  await activity.flush();
});

it('the service writes the remaining activity when the node stops', async () => {
  const second = await TestApp.start();
  const phone = new Phone(second);
  await phone.register(serial).expect(201);
  await phone.list();
  await second.stop();
  const [row] = await database.reads.query<Row[]>(
    'SELECT listed_at FROM apple_device WHERE device_library_identifier = $1',
    [phone.deviceLibraryIdentifier],
  );
  expect(row!.listed_at).not.toBeNull();
});
