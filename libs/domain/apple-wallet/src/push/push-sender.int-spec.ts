import { Database } from '@passwright/database';
import { PushFanout } from '../fanout/push-fanout.handlers.js';
import { defaultPacing } from './push-pacing.js';
import { pageSize } from './push-page.entity.js';
import { PushPages } from './push-pages.service.js';
import { leaseSeconds, PushQueueRepository } from './push-queue.repository.js';
import { PushDueCron } from './push-due.cron.js';
import { PushSender } from './push-sender.handlers.js';
import { passType, running, UpdatesWorld } from '../updates.fixtures.js';
import { ApplePushDue } from './push.jobs.js';

let world: UpdatesWorld;
let accountId: string;
let serial: string;

beforeAll(async () => (world = await UpdatesWorld.start()));
afterAll(() => world.stop());
beforeEach(async () => {
  world.push.result = () => ({});
  world.push.pushed.length = 0;
  accountId = await world.account();
  serial = await world.pass(accountId);
  world.clock.advance(60);
});

const templateChange = () => ({ accountId, changed: { templateId: 't' }, afterDeviceId: '' });

const secondsAhead = (date: Date | null | undefined) => date && (date.getTime() - world.clock.now().getTime()) / 1000;

describe('selecting devices to push', () => {
  it('the service sends one push to a device that has an older version of the pass, and records the result', async () => {
    const device = await world.device(accountId, serial);
    world.push.result = () => ({ pushId: 'the-id' });
    await world.change(accountId, serial);
    await world.send(accountId);
    await world.send(accountId);
    expect(world.push.pushed).toEqual([device]);
    expect(await world.row(accountId, device)).toMatchObject({
      pushed_at: world.clock.now(),
      push_id: 'the-id',
      push_status: 200,
      push_reason: null,
      push_attempts: 1,
      push_score: 1,
    });
  });

  it('the service sends one push to a device for several changed passes', async () => {
    const others = [await world.pass(accountId), await world.pass(accountId)];
    const device = await world.device(accountId, serial, ...others);
    for (const changed of [serial, ...others]) await world.change(accountId, changed);
    await world.send(accountId);
    expect(world.push.pushed).toEqual([device]);
  });

  it('the service does not send a push to a device that has fetched the change, and clears the due push', async () => {
    const device = await world.device(accountId, serial);
    await world.change(accountId, serial);
    await world.db.query('UPDATE apple_registration SET seen_at = $2 WHERE account_id = $1', [
      accountId,
      world.clock.now(),
    ]);
    await world.send(accountId);
    expect(world.push.pushed).toEqual([]);
    expect(await world.row(accountId, device)).toMatchObject({ due_at: null, push_attempts: 0 });
    expect(await world.jobs(ApplePushDue.task, accountId)).toHaveLength(1);
  });

  it('the service never pushes to a registered device whose wallet is not Apple Wallet', async () => {
    const device = await world.device(accountId, serial);
    await world.db.query("UPDATE apple_device SET push_token = '-' WHERE account_id = $1", [accountId]);
    await world.change(accountId, serial);
    await world.send(accountId);
    expect(world.push.pushed).toEqual([]);
    expect(await world.row(accountId, device)).toMatchObject({ due_at: null, push_attempts: 0, pushed_at: null });
  });

  it('the service sends a push to the devices of a changed template', async () => {
    const device = await world.device(accountId, serial);
    await world.changeTemplate(accountId);
    await world.lookAt(accountId);
    await world.send(accountId);
    expect(world.push.pushed).toEqual([device]);
  });

  it('the service sends a push to the device of a deleted pass', async () => {
    const device = await world.device(accountId, serial);
    await world.db.query('DELETE FROM pass WHERE account_id = $1', [accountId]);
    await world.db.query("INSERT INTO deleted_pass VALUES ($1, $2, 't', 'p', 'offer', 'I', $3)", [
      accountId,
      serial,
      world.clock.now(),
    ]);
    await world.lookAt(accountId);
    await world.send(accountId);
    expect(world.push.pushed).toEqual([device]);
  });

  it('the service does not send pushes to devices of another account', async () => {
    const other = await world.account();
    const theirs = await world.pass(other);
    await world.device(other, theirs);
    await world.change(other, theirs);
    await world.send(accountId);
    expect(world.push.pushed).toEqual([]);
  });

  it('two senders on two nodes together send exactly one push to every device of several batches', async () => {
    const node = await world.node();
    const devices: string[] = [];
    for (let i = 0; i < 450; i++) devices.push(await world.device(accountId, serial));
    await world.change(accountId, serial);
    world.push.result = () => new Promise((resolve) => setImmediate(resolve, {}));
    await Promise.all([world.send(accountId), node.get(PushSender).send({ accountId }, running())]);
    expect([...world.push.pushed].sort()).toEqual(devices);
    await node.close();
  });

  it('a node runs one push job per account at a time, and checks for new changes after each job', async () => {
    const first = await world.device(accountId, serial);
    const another = await world.pass(accountId);
    const second = await world.device(accountId, another);
    world.clock.advance(5);
    await world.change(accountId, serial);
    let meanwhile: Promise<void> | undefined;
    world.push.result = async () => {
      meanwhile ??= world.change(accountId, another).then(() => world.send(accountId));
      await meanwhile;
      return {};
    };
    await world.send(accountId);
    expect(world.push.pushed).toEqual([first, second]);
  });
});

it('the service drops the result of a push if the database was restored during the push', async () => {
  const database = world.get(Database);
  const device = await world.device(accountId, serial);
  await world.change(accountId, serial);
  database.incarnation = '';
  world.push.result = async () => {
    await world.db.query("UPDATE incarnation SET id = 'restored'");
    return {};
  };
  await world.send(accountId);
  expect(world.push.pushed).toEqual([device]);
  expect(await world.row(accountId, device)).toMatchObject({ pushed_at: null, push_number: '0' });
  await world.db.query("UPDATE incarnation SET id = ''");
  database.incarnation = null;
});

describe('a claim of devices', () => {
  const claim = (size = pageSize) => world.get(PushPages).claim({ accountId, passTypeIdentifier: passType }, size);
  const behind = () =>
    world.db.query('UPDATE pass SET updated_at = $2 WHERE account_id = $1', [accountId, world.clock.now()]);

  it('a device that another process has claimed waits until the push window ends, because it may not need a second push', async () => {
    const device = await world.device(accountId, serial);
    await world.change(accountId, serial);
    const { devices } = await claim();
    expect(devices.map(({ id }) => id)).toEqual([device]);
    await world.get(PushFanout).passChanged({ accountId, serialNumber: serial });
    expect(await claim()).toEqual({ looked: 1, devices: [] });
    expect((await world.pages(accountId)).map(({ due_at }) => secondsAhead(due_at))).toEqual([30]);
  });

  it('a claim keeps only devices that get a push; another claim can take the other devices', async () => {
    const mine = await world.pass(accountId);
    const pushed = await world.device(accountId, serial, mine);
    const other = await world.device(accountId, serial);
    world.clock.advance(1);
    await world.change(accountId, mine);
    await world.send(accountId);
    expect(world.push.pushed).toEqual([pushed]);
    world.clock.advance(5);
    await world.change(accountId, serial);
    // The process of this claim hangs or was killed.
    expect((await claim()).devices.map(({ id }) => id)).toEqual([other]);
    world.clock.advance(25);
    expect((await claim()).devices.map(({ id }) => id)).toEqual([pushed]);
  });

  it('a device that is skipped because of another claim gets a push later if that claim sends none', async () => {
    const mine = await world.pass(accountId);
    const device = await world.device(accountId, serial, mine);
    world.clock.advance(1);
    await world.change(accountId, serial);
    await world.change(accountId, mine);
    const first = await claim(1);
    expect(await claim(1)).toEqual({ looked: 1, devices: [] });
    const results = first.devices.map((claimed) => ({ device: claimed, result: null }));
    await world.get(PushPages).record(accountId, results);
    // The holder has deleted the first pass from the phone.
    const sql = 'DELETE FROM apple_registration WHERE account_id = $1 AND serial_number = $2';
    await world.db.query(sql, [accountId, serial]);
    await world.change(accountId, serial);
    await world.send(accountId);
    expect(world.push.pushed).toEqual([device]);
  });

  it('one push covers every change before the claim', async () => {
    const device = await world.device(accountId, serial);
    await world.lookAt(accountId);
    await world.change(accountId, serial);
    await world.changeTemplate(accountId);
    await world.get(PushFanout).devicesLeft(templateChange(), running());
    await world.send(accountId);
    world.clock.advance(60);
    await world.send(accountId);
    expect(world.push.pushed).toEqual([device]);
  });

  it('a claim does not clear a change that commits after the check of the device', async () => {
    const device = await world.device(accountId, serial);
    await world.lookAt(accountId);
    const database = world.get(Database);
    const queue = world.get(PushQueueRepository);
    await database.transaction(async (tx) => {
      // The device is up to date, but another change commits before the check ends.
      const sender = { accountId, passTypeIdentifier: passType };
      const page = await queue.claim(tx, sender, pageSize, world.clock.now(), defaultPacing);
      expect(page).toEqual({ looked: 1, devices: [] });
      await world.change(accountId, serial);
    });
    await world.send(accountId);
    expect(world.push.pushed).toEqual([device]);
  });

  it('the service repeats a push without a recorded result after a minute, and ignores the late result', async () => {
    const device = await world.device(accountId, serial);
    await world.change(accountId, serial);
    const late = await claim();
    world.clock.advance(leaseSeconds);
    await world.send(accountId);
    expect(world.push.pushed).toEqual([device]);
    await behind();
    await world.get(PushPages).record(
      accountId,
      late.devices.map((claimed) => ({ device: claimed, result: null })),
    );
    // The recorded push has planned a check after ten minutes.
    expect((await world.pages(accountId)).map(({ due_at }) => secondsAhead(due_at))).toEqual([600]);
  });
});

describe('pacing of pushes', () => {
  it('the service sends one more push after several changes within the window', async () => {
    const device = await world.device(accountId, serial);
    await world.change(accountId, serial);
    await world.send(accountId);
    for (const _ of [1, 2, 3]) {
      world.clock.advance(5);
      await world.change(accountId, serial);
      await world.send(accountId);
    }
    expect(world.push.pushed).toEqual([device]);
    expect(secondsAhead((await world.row(accountId, device))?.due_at)).toBe(15);
    const jobs = await world.jobs(ApplePushDue.task, accountId);
    expect(jobs.map(({ run_at }) => secondsAhead(run_at))).toContain(15);

    world.clock.advance(15);
    await world.send(accountId);
    expect(world.push.pushed).toEqual([device, device]);
  });

  it('the service sends no second push to a device that has fetched all changes within the push window', async () => {
    const device = await world.device(accountId, serial);
    await world.change(accountId, serial);
    await world.send(accountId);
    world.clock.advance(5);
    await world.change(accountId, serial);
    await world.send(accountId);
    await world.fetch(accountId, device);
    world.clock.advance(60);
    await world.send(accountId);
    expect(world.push.pushed).toEqual([device]);
  });

  it('the service sends at most two pushes an hour to a device after 20 pushes', async () => {
    const device = await world.device(accountId, serial);
    const pushedAt: number[] = [];
    world.push.result = () => {
      pushedAt.push(world.clock.now().getTime());
      return {};
    };
    for (let minute = 0; minute < 120; minute++) {
      await world.change(accountId, serial);
      await world.send(accountId);
      await world.fetch(accountId, device);
      world.clock.advance(60);
    }
    const first = pushedAt.filter((at) => at < pushedAt[0]! + 3600_000).length;
    // The first 22 pushes are 21 in a row and one that the hourly limit allows. Then one push follows every half hour.
    expect([first, pushedAt.length - first]).toEqual([22, 2]);
  });

  it('a push that was not delivered does not count towards the limit of pushes', async () => {
    const device = await world.device(accountId, serial);
    world.push.result = () => ({ outcome: 'retry', status: 503, reason: 'ServiceUnavailable' });
    await world.change(accountId, serial);
    await world.send(accountId);
    expect(await world.row(accountId, device)).toMatchObject({ push_score: 0, push_attempts: 0, push_failures: 1 });
  });
});

describe('a device that does not fetch', () => {
  it('a device that fetches nothing gets another push after 10 minutes, 1, 6 and 24 hours, and after another change', async () => {
    const device = await world.device(accountId, serial);
    await world.change(accountId, serial);
    for (const seconds of [600, 3600, 6 * 3600, 24 * 3600]) {
      await world.send(accountId);
      expect(secondsAhead((await world.row(accountId, device))?.due_at)).toBe(seconds);
      world.clock.advance(seconds);
    }
    await world.send(accountId);
    expect(world.push.count(device)).toBe(5);
    expect(await world.row(accountId, device)).toMatchObject({ due_at: null, push_attempts: 5 });

    await world.change(accountId, serial);
    world.clock.advance(3600);
    await world.send(accountId);
    expect(world.push.count(device)).toBe(6);
  });

  it('the pauses between pushes begin at 10 minutes again after the device has fetched the change', async () => {
    const device = await world.device(accountId, serial);
    for (const _ of [1, 2, 3]) {
      await world.change(accountId, serial);
      await world.send(accountId);
      world.clock.advance(3600);
      await world.fetch(accountId, device);
      world.clock.advance(3600);
    }
    await world.change(accountId, serial);
    await world.send(accountId);
    expect(await world.row(accountId, device)).toMatchObject({ push_attempts: 1 });
    expect(secondsAhead((await world.row(accountId, device))?.due_at)).toBe(600);
  });

  it('the scheduled check, and not the sender, adds the job for a device that is due in more than a minute', async () => {
    await world.device(accountId, serial);
    await world.change(accountId, serial);
    await world.takeJobs(accountId);
    await world.send(accountId);
    expect(await world.jobs(ApplePushDue.task, accountId)).toEqual([]);

    await world.get(PushDueCron).look();
    expect(await world.jobs(ApplePushDue.task, accountId)).toEqual([]);
    world.clock.advance(600);
    await world.get(PushDueCron).look();
    expect(await world.jobs(ApplePushDue.task, accountId)).toMatchObject([{ payload: { accountId } }]);
  });
});

describe('a failed push', () => {
  it('a failed push is retried after the time in Retry-After, or else after growing delays of up to an hour', async () => {
    const device = await world.device(accountId, serial);
    world.push.result = () => ({ outcome: 'retry', status: 429, retryAfterSeconds: 240 });
    await world.change(accountId, serial);
    await world.send(accountId);
    expect(secondsAhead((await world.row(accountId, device))?.due_at)).toBe(240);
    world.push.result = () => ({ outcome: 'retry', status: null, pushId: null, reason: 'the connection broke' });
    for (let failures = 2; failures < 14; failures++) {
      world.clock.advance(3600);
      await world.send(accountId);
      const pause = Math.min(3600, 5 * 2 ** (failures - 1));
      const ahead = secondsAhead((await world.row(accountId, device))?.due_at) ?? 0;
      expect(ahead).toBeGreaterThanOrEqual(pause / 2);
      expect(ahead).toBeLessThanOrEqual(pause);
    }
    expect(await world.row(accountId, device)).toMatchObject({
      push_status: null,
      push_reason: 'the connection broke',
    });
  });

  it('another change does not bring forward the retry of a failed push', async () => {
    const device = await world.device(accountId, serial);
    world.push.result = () => ({ outcome: 'retry', status: 429, retryAfterSeconds: 240 });
    await world.change(accountId, serial);
    await world.send(accountId);
    world.clock.advance(100);
    await world.change(accountId, serial);
    await world.send(accountId);
    expect(world.push.count(device)).toBe(1);
    expect(secondsAhead((await world.row(accountId, device))?.due_at)).toBe(140);
  });

  it('a connection failure ends the time slice, and the other devices get their pushes after a pause', async () => {
    for (let i = 0; i < 250; i++) await world.device(accountId, serial);
    world.push.result = () => ({ outcome: 'retry', pushId: null, status: null, retryAfterSeconds: 20 });
    await world.change(accountId, serial);
    await world.takeJobs(accountId);
    await world.send(accountId);
    expect(world.push.pushed).toHaveLength(100);
    const jobs = await world.jobs(ApplePushDue.task, accountId);
    expect(jobs.map(({ run_at }) => secondsAhead(run_at))).toEqual([20]);

    world.push.result = () => ({});
    world.push.pushed.length = 0;
    world.clock.advance(20);
    await world.send(accountId);
    expect(world.push.pushed).toHaveLength(250);
  });

  it('the service repeats pushes a minute after a crash, but only for devices that have not fetched', async () => {
    const [fetched, silent] = [await world.device(accountId, serial), await world.device(accountId, serial)];
    world.push.result = () => {
      throw new Error('killed');
    };
    await world.change(accountId, serial);
    await expect(world.send(accountId)).rejects.toThrow('killed');
    world.push.result = () => ({});
    await world.fetch(accountId, fetched);
    world.push.pushed.length = 0;

    world.clock.advance(59);
    await world.send(accountId);
    expect(world.push.pushed).toEqual([]);
    world.clock.advance(1);
    await world.send(accountId);
    expect(world.push.pushed).toEqual([silent]);
  });

  it('the service leaves due devices to another job when the process shuts down', async () => {
    await world.device(accountId, serial);
    await world.change(accountId, serial);
    await world.takeJobs(accountId);
    const stopped = AbortSignal.abort();
    await world.get(PushSender).send({ accountId }, { signal: stopped });
    expect(world.push.pushed).toEqual([]);
    expect(await world.jobs(ApplePushDue.task, accountId)).toMatchObject([{ payload: { accountId } }]);
  });
});

it('the service does not send pushes with a development certificate, and records why', async () => {
  const device = await world.device(accountId, serial);
  world.push.result = () => ({ outcome: 'off', pushId: null, status: null, reason: 'a development certificate' });
  await world.change(accountId, serial);
  await world.send(accountId);
  expect(await world.row(accountId, device)).toMatchObject({
    due_at: null,
    pushed_at: null,
    push_attempts: 0,
    push_reason: 'a development certificate',
  });
});
