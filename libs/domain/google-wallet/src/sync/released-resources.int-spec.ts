import { Database } from '@passwright/database';
import { QueryFailedError } from 'typeorm';
import { GoogleWorld } from '../google-world.fixtures.js';
import { TestApp, type TestAccount } from '../test-app.fixtures.js';
import { GoogleResourcesRepository, leaseMs } from './google-resources.repository.js';
import { GoogleResourcesDue } from './google.jobs.js';

/* Tests the claims of a process that has lost its database connection but is still running. */
let app: TestApp;
let world: GoogleWorld;
let database: Database;
let resources: GoogleResourcesRepository;
let account: TestAccount;
/** The transactions that the service has postponed until the database is available. */
let eventual: Promise<unknown>[];

const pauseMs = 10_000;
/** How long a process takes to notice that it has lost its connection. */
const lossMs = 20_000;
const reset = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
const connectionLost = () => new QueryFailedError('', [], reset());
const inMs = (ms: number) => new Date(app.clock.now().getTime() + ms);
const writes = () => app.google.writesOf(account.id);
const leases = () =>
  database.reads.query<{ leased_until: Date; open_claims: number }[]>(
    'SELECT leased_until, open_claims FROM google_resource WHERE account_id = $1 AND due_at IS NOT NULL',
    [account.id],
  );
const plannedJobs = async () => {
  const rows = await database.reads.query<{ run_at: Date }[]>(
    `SELECT run_at FROM graphile_worker._private_jobs job JOIN graphile_worker._private_tasks task ON task.id = job.task_id
     WHERE task.identifier = $1 AND payload->>'accountId' = $2`,
    [GoogleResourcesDue.task, account.id],
  );
  return rows.map(({ run_at }) => run_at);
};

beforeAll(async () => {
  app = await TestApp.start();
  world = new GoogleWorld(app);
  database = app.get(Database);
  resources = app.get(GoogleResourcesRepository);
});
afterAll(() => app.stop());
beforeEach(async () => {
  account = await app.account();
  await account.template('offer');
  await account.post('offer/ada', {}).expect(200);
  await world.link(account, 'offer/ada').expect(200);
  await account.patch('offer/ada', { code: 'NEW' }).expect(200);
  await database.reads.query("DELETE FROM graphile_worker._private_jobs WHERE payload->>'accountId' = $1", [
    account.id,
  ]);
  app.google.reset();
  eventual = [];
  jest.spyOn(database, 'eventually').mockImplementation((work) => {
    eventual.push(database.transaction(work));
  });
});
afterEach(() => jest.restoreAllMocks());

/**
 * Writes resources while the service cannot record results.
 * @param meanwhile runs before the failure
 */
async function sendUnrecorded(error: Error, meanwhile: () => Promise<unknown> = () => Promise.resolve()) {
  const record = jest.spyOn(resources, 'record').mockImplementation(async () => {
    await meanwhile();
    throw error;
  });
  await world.send();
  record.mockRestore();
  await Promise.all(eventual);
}

it.each([
  ['ECONNRESET', connectionLost()],
  ['terminated', new Error('Connection terminated unexpectedly')],
])(
  'the service writes a resource again after ten seconds if the connection error "%s" lost the result',
  async (_, error) => {
    await sendUnrecorded(error);
    expect(await leases()).toEqual([{ leased_until: inMs(pauseMs), open_claims: 0 }]);
    expect(await plannedJobs()).toEqual([inMs(pauseMs)]);
    app.clock.advance(pauseMs / 1000 - 1);
    await world.send();
    expect(writes()).toHaveLength(1);
    app.clock.advance(1);
    await world.send();
    app.clock.advance(leaseMs / 1000);
    await world.send();
    expect(writes()).toHaveLength(2);
  },
);

it('the service writes a resource ten seconds later if the connection was lost right after the claim', async () => {
  const transaction = database.transaction.bind(database);
  jest.spyOn(database, 'transaction').mockImplementationOnce(async (work) => {
    await transaction(work);
    app.clock.advance(lossMs / 1000);
    throw connectionLost();
  });
  await world.send();
  await Promise.all(eventual);
  expect(await leases()).toEqual([{ leased_until: inMs(pauseMs), open_claims: 0 }]);
  expect(await plannedJobs()).toEqual([inMs(pauseMs)]);
  app.clock.advance(pauseMs / 1000);
  await world.send();
  app.clock.advance(leaseMs / 1000);
  await world.send();
  expect(writes()).toHaveLength(1);
});

it('the service does not release a resource that another process has claimed in the meantime', async () => {
  await sendUnrecorded(connectionLost(), () => {
    app.clock.advance(leaseMs / 1000 + 1);
    return resources.claimDue({ accountId: account.id, issuerId: app.google.issuerId }, 10, app.clock.now());
  });
  expect(await leases()).toEqual([{ leased_until: inMs(leaseMs), open_claims: 2 }]);
  expect(await plannedJobs()).toEqual([]);
});

it.each([
  ['a defect', new Error('a defect')],
  ['a lost connection to another service', reset()],
])(
  'the service keeps the claim of a resource after an error that does not come from the database: %s',
  async (_, error) => {
    await sendUnrecorded(error);
    expect(await leases()).toEqual([{ leased_until: inMs(leaseMs), open_claims: 0 }]);
    expect(await plannedJobs()).toEqual([]);
  },
);

it('the service keeps a claim until all its writes have ended, even if one write fails', async () => {
  await account.post('offer/ben', {}).expect(200);
  await world.link(account, 'offer/ben').expect(200);
  await account.patch('offer/ben', { code: 'OTHER' }).expect(200);
  let begun = 0;
  let releasesDuringWrites: number | undefined;
  app.google.reset();
  app.google.result = async () => {
    begun += 1;
    if (begun === 1) throw connectionLost();
    // Wait one turn of the event loop, so that the error of the other write is handled.
    await new Promise(setImmediate);
    releasesDuringWrites = eventual.length;
    return {};
  };
  eventual.length = 0;
  await world.send();
  await Promise.all(eventual);
  expect({ begun, releasesDuringWrites }).toEqual({ begun: 2, releasesDuringWrites: 0 });
  expect(await leases()).toEqual([1, 2].map(() => ({ leased_until: inMs(pauseMs), open_claims: 0 })));
});
