import { Database } from '@passwright/database';
import { QueryFailedError } from 'typeorm';
import { WebhooksWorld } from './deliveries.fixtures.js';
import { DeliveriesRepository } from './deliveries.repository.js';

/* Tests the claims of a process that has lost its database connection but is still running. */
let world: WebhooksWorld;
let database: Database;
let repository: DeliveriesRepository;
let hook: Awaited<ReturnType<WebhooksWorld['webhook']>>;
let eventId: string;
/** The transactions that the service has postponed until the database is available. */
let eventual: Promise<unknown>[];

const pauseSeconds = 10;
const claimSeconds = 90;
/** How long a process takes to notice that it has lost its connection. */
const lossSeconds = 20;
const reset = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
const connectionLost = () => new QueryFailedError('', [], reset());
const inSeconds = (seconds: number) => new Date(world.clock.now().getTime() + seconds * 1000);
const sent = () => world.receiver.received.map(({ headers }) => headers['webhook-id']);
const deliveries = () =>
  world.db.query<{ due_at: Date; open_claims: number }[]>(
    'SELECT due_at, open_claims FROM webhook_delivery WHERE webhook_id = $1',
    [hook.webhookId],
  );

beforeAll(async () => {
  world = await WebhooksWorld.start();
  database = world.get(Database);
  repository = world.get(DeliveriesRepository);
});
afterAll(() => world.stop());
beforeEach(async () => {
  world.receiver.received.length = 0;
  hook = await world.webhook();
  [eventId = ''] = await world.happen(hook);
  await takeJobs();
  eventual = [];
  jest.spyOn(database, 'eventually').mockImplementation((work) => {
    eventual.push(database.transaction(work));
  });
});
afterEach(() => jest.restoreAllMocks());

const takeJobs = () =>
  world.db.query("DELETE FROM graphile_worker._private_jobs WHERE payload->>'accountId' = $1", [hook.accountId]);

/**
 * Sends deliveries, and makes the recording of their results fail with `error`.
 * @param meanwhile runs just before this failure
 */
async function sendUnrecorded(error: Error, meanwhile: () => Promise<unknown> = () => Promise.resolve()) {
  const record = jest.spyOn(repository, 'record').mockImplementation(async () => {
    await meanwhile();
    throw error;
  });
  await world.send(hook);
  record.mockRestore();
  await Promise.all(eventual);
}

it.each([
  ['ECONNRESET', connectionLost()],
  ['terminated', new Error('Connection terminated unexpectedly')],
])(
  'the service sends a delivery again after ten seconds if the connection error "%s" lost the result',
  async (_, error) => {
    await sendUnrecorded(error);
    expect(await deliveries()).toEqual([{ due_at: inSeconds(pauseSeconds), open_claims: 0 }]);
    expect(await world.jobsFor(hook)).toEqual([inSeconds(pauseSeconds)]);
    world.clock.advance(pauseSeconds - 1);
    await world.send(hook);
    expect(sent()).toEqual([eventId]);
    world.clock.advance(1);
    await world.send(hook);
    world.clock.advance(claimSeconds);
    await world.send(hook);
    expect(sent()).toEqual([eventId, eventId]);
  },
);

it('the service sends a delivery ten seconds later if the connection was lost right after the claim', async () => {
  const transaction = database.transaction.bind(database);
  jest.spyOn(database, 'transaction').mockImplementationOnce(async (work) => {
    await transaction(work);
    world.clock.advance(lossSeconds);
    throw connectionLost();
  });
  await world.send(hook);
  await Promise.all(eventual);
  expect(await deliveries()).toEqual([{ due_at: inSeconds(pauseSeconds), open_claims: 0 }]);
  expect(await world.jobsFor(hook)).toEqual([inSeconds(pauseSeconds)]);
  world.clock.advance(pauseSeconds);
  await world.send(hook);
  world.clock.advance(claimSeconds);
  await world.send(hook);
  expect(sent()).toEqual([eventId]);
});

it('the service does not release a delivery that another process has claimed in the meantime', async () => {
  await sendUnrecorded(connectionLost(), async () => {
    world.clock.advance(claimSeconds + 1);
    const claim = { now: world.clock.now(), until: inSeconds(claimSeconds), limit: 10 };
    await database.transaction((tx) => repository.claim(tx, hook, claim));
  });
  expect(await deliveries()).toEqual([{ due_at: inSeconds(claimSeconds), open_claims: 2 }]);
  expect(await world.jobsFor(hook)).toEqual([]);
});

it.each([
  ['a defect', new Error('a defect')],
  ['a lost connection to another service', reset()],
])(
  'the service keeps the claim of a delivery after an error that does not come from the database: %s',
  async (_, error) => {
    await sendUnrecorded(error);
    expect(await deliveries()).toEqual([{ due_at: inSeconds(claimSeconds), open_claims: 0 }]);
    expect(await world.jobsFor(hook)).toEqual([]);
  },
);
