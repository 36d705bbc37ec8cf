import { Database } from '@passwright/database';
import { QueryFailedError } from 'typeorm';
import { PushPages } from './push-pages.service.js';
import { leaseSeconds, PushQueueRepository } from './push-queue.repository.js';
import { ApplePushDue } from './push.jobs.js';
import { passType, UpdatesWorld } from '../updates.fixtures.js';

/* Tests the claims of a process that has lost its database connection but is still running. */
let world: UpdatesWorld;
let database: Database;
let accountId: string;
let device: string;
/** The transactions that the service has postponed until the database is available. */
let eventual: Promise<unknown>[];

const pauseSeconds = 10;
const reset = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
const connectionLost = () => new QueryFailedError('', [], reset());
const inSeconds = (seconds: number) => new Date(world.clock.now().getTime() + seconds * 1000);
const pages = () =>
  world.db.query<{ claim: string; due_at: Date; open_claims: number }[]>(
    'SELECT claim, due_at, open_claims FROM apple_push_page WHERE account_id = $1',
    [accountId],
  );
const plannedJobs = async () => (await world.jobs(ApplePushDue.task, accountId)).map(({ run_at }) => run_at);

beforeAll(async () => {
  world = await UpdatesWorld.start();
  database = world.get(Database);
});
afterAll(() => world.stop());
beforeEach(async () => {
  eventual = [];
  jest.spyOn(database, 'eventually').mockImplementation((work) => {
    eventual.push(database.transaction(work));
  });
  world.push.result = () => ({});
  world.push.pushed.length = 0;
  accountId = await world.account();
  const serial = await world.pass(accountId);
  device = await world.device(accountId, serial);
  world.clock.advance(60);
  await world.change(accountId, serial);
  await world.takeJobs(accountId);
});
afterEach(() => jest.restoreAllMocks());

/**
 * Sends pushes, and makes the recording of their results fail with `error`.
 * @param meanwhile runs just before each failure
 */
async function sendUnrecorded(error: Error, meanwhile: () => Promise<unknown> = () => Promise.resolve()) {
  const end = jest.spyOn(world.get(PushQueueRepository), 'end').mockImplementation(async () => {
    await meanwhile();
    throw error;
  });
  await expect(world.send(accountId)).rejects.toThrow(error);
  end.mockRestore();
  await Promise.all(eventual);
}

it.each([
  ['ECONNRESET', connectionLost()],
  ['terminated', new Error('Connection terminated unexpectedly')],
])(
  'the service sends another push to a device after ten seconds if the connection error "%s" lost the result',
  async (_, error) => {
    await sendUnrecorded(error);
    expect(await pages()).toMatchObject([{ due_at: inSeconds(pauseSeconds), open_claims: 0 }]);
    expect(await plannedJobs()).toEqual([inSeconds(pauseSeconds)]);
    world.clock.advance(pauseSeconds - 1);
    await world.send(accountId);
    expect(world.push.count(device)).toBe(1);
    world.clock.advance(1);
    await world.send(accountId);
    world.clock.advance(pauseSeconds);
    await world.send(accountId);
    expect(world.push.count(device)).toBe(2);
  },
);

it('the service sends a push to a device ten seconds later if the connection was lost right after the claim', async () => {
  const transaction = database.transaction.bind(database);
  jest.spyOn(database, 'transaction').mockImplementationOnce(async (work) => {
    await transaction(work);
    throw connectionLost();
  });
  await expect(world.send(accountId)).rejects.toThrow('ECONNRESET');
  await Promise.all(eventual);
  expect(await pages()).toMatchObject([{ due_at: inSeconds(pauseSeconds), open_claims: 0 }]);
  expect(await plannedJobs()).toEqual([inSeconds(pauseSeconds)]);
  world.clock.advance(pauseSeconds);
  await world.send(accountId);
  world.clock.advance(leaseSeconds);
  await world.send(accountId);
  expect(world.push.pushed).toEqual([device]);
});

it('the service does not release a batch of devices that another process has claimed in the meantime', async () => {
  let claimedAt: Date | undefined;
  await sendUnrecorded(connectionLost(), async () => {
    if (claimedAt) return;
    world.clock.advance(leaseSeconds + 1);
    claimedAt = world.clock.now();
    await world.get(PushPages).claim({ accountId, passTypeIdentifier: passType }, 10);
  });
  expect(await pages()).toMatchObject([{ due_at: inSeconds(leaseSeconds), open_claims: 2 }]);
  expect(await plannedJobs()).toEqual([]);
});

it('the service does not release a batch whose claim has the same number but another expiry, as after a restore', async () => {
  const dueAt = inSeconds(leaseSeconds - 1);
  await sendUnrecorded(connectionLost(), () =>
    world.db.query('UPDATE apple_push_page SET due_at = $2 WHERE account_id = $1', [accountId, dueAt]),
  );
  expect(await pages()).toMatchObject([{ due_at: dueAt, open_claims: 1 }]);
  expect(await plannedJobs()).toEqual([]);
});

it.each([
  ['a defect', new Error('a defect')],
  ['a lost connection to another service', reset()],
])(
  'the service keeps the claim of a batch after an error that does not come from the database: %s',
  async (_, error) => {
    await sendUnrecorded(error);
    expect(await pages()).toMatchObject([{ due_at: inSeconds(leaseSeconds), open_claims: 0 }]);
    expect(await plannedJobs()).toEqual([]);
  },
);

it.each([
  ['after the release', false],
  ['before the release, and plans its job after the release', true],
])(
  'a device gets another push ten seconds after a database promotion if the sender reads the next due time %s',
  async (_, looksBefore) => {
    // Advance the test clock by 100 years, so that due times are in the future by the database clock too.
    world.clock.advance(100 * 365 * 86_400);
    database.incarnation = '';
    world.push.result = async () => {
      await world.db.query("UPDATE incarnation SET id = 'promoted'");
      return {};
    };
    const releases: Parameters<Database['eventually']>[0][] = [];
    jest.spyOn(database, 'eventually').mockImplementation((work) => releases.push(work));
    const release = async () => {
      await world.db.query("UPDATE incarnation SET id = ''");
      database.incarnation = null;
      for (const work of releases) await database.transaction(work);
    };
    const queue = world.get(PushQueueRepository);
    const nextDue = queue.nextDue.bind(queue);
    jest.spyOn(queue, 'nextDue').mockImplementationOnce(async (id) => {
      if (!looksBefore) await release();
      const due = await nextDue(id);
      if (looksBefore) await release();
      return due;
    });
    await world.send(accountId);
    expect(await pages()).toMatchObject([{ due_at: inSeconds(pauseSeconds) }]);
    expect(await plannedJobs()).toEqual([inSeconds(pauseSeconds)]);
    world.push.result = () => ({});
    world.clock.advance(pauseSeconds);
    await world.send(accountId);
    expect(world.push.count(device)).toBe(2);
  },
);
