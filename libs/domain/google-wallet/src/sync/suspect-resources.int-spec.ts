import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Database } from '@passwright/database';
import { TestApp, type TestAccount } from '../test-app.fixtures.js';
import { GoogleCircuitBreaker } from './google-circuit-breaker.js';
import { GoogleResourcesRepository, leaseMs } from './google-resources.repository.js';
import { GoogleSender } from './google-sender.handlers.js';
import type { SuspectGoogleResources } from './google.jobs.js';
import { GoogleWorld } from '../google-world.fixtures.js';

let app: TestApp;
let world: GoogleWorld;
let account: TestAccount;

beforeAll(async () => {
  app = await TestApp.start();
  world = new GoogleWorld(app);
});
afterAll(() => app.stop());
beforeEach(async () => {
  account = await app.account();
  await account.template('offer');
  for (const id of ['ada', 'ben']) {
    await account.post(`offer/${id}`, {}).expect(200);
    await world.link(account, `offer/${id}`).expect(200);
  }
  app.google.reset();
});

/** Simulates a process that crashes after it has claimed resources, and waits until the lease ends. */
async function dieWhileWriting(): Promise<void> {
  const [row] = await app
    .get(Database)
    .reads.query<{ issuerId: string }[]>(
      'SELECT issuer_id AS "issuerId" FROM google_resource WHERE account_id = $1 LIMIT 1',
      [account.id],
    );
  const owner = { accountId: account.id, issuerId: row?.issuerId ?? '' };
  await app.get(GoogleResourcesRepository).claimDue(owner, 10, app.clock.now());
  app.clock.advance(leaseMs / 1000 + 1);
}

/**
 * Changes passes, and simulates two processes that crash after they have claimed the objects.
 * @returns the payload of the `SuspectGoogleResources` job
 */
async function suspectsOf(...passIds: string[]): Promise<SuspectGoogleResources['payload']> {
  for (const id of passIds) await account.patch(`offer/${id}`, { code: `NEW ${id}` }).expect(200);
  await dieWhileWriting();
  await dieWhileWriting();
  await world.send();
  const [job] = await jobs();
  return job!.payload;
}

const jobs = () =>
  app.get(Database).reads.query<{ payload: SuspectGoogleResources['payload'] }[]>(
    `SELECT payload FROM graphile_worker._private_jobs job JOIN graphile_worker._private_tasks task ON task.id = job.task_id
       WHERE task.identifier = 'google-wallet.alone' AND payload->>'accountId' = $1`,
    [account.id],
  );

it('a resource gets a separate job after it has crashed two processes; other resources are written as usual', async () => {
  await account.patch('offer/ada', { code: 'NEW' }).expect(200);
  await dieWhileWriting();
  await dieWhileWriting();
  await account.patch('offer/ben', { code: 'OTHER' }).expect(200);
  await world.send();
  expect(app.google.writesOf(account.id)).toEqual(['object background']);
  expect(app.google.objectOf(await world.serialOf(account, 'ben'))).toMatchObject({ barcode: { value: 'OTHER' } });

  const [job, ...others] = await jobs();
  expect(others).toEqual([]);
  await app.get(GoogleSender).sendAlone(job!.payload);
  expect(app.google.objectOf(await world.serialOf(account, 'ada'))).toMatchObject({ barcode: { value: 'NEW' } });
});

it('the service writes resources suspected of crashing processes as soon as the account has a new credential', async () => {
  const owner = await suspectsOf('ada');
  const identity = await app.google.identity(account.id);
  await app.get(GoogleCircuitBreaker).note(identity, 'PERMISSION_DENIED', false);
  await app.get(GoogleSender).sendAlone(owner);
  expect(app.google.writesOf(account.id)).toEqual([]);
  app.google.fingerprint = randomUUID();
  await world.send();
  expect(app.google.writesOf(account.id)).toEqual(['object background']);
});

it('the service writes a class suspected of crashing processes, and then its objects', async () => {
  const owner = await suspectsOf('ada', 'ben');
  const ids = (await world.rows(account)).map(({ id }) => id);
  await app
    .get(Database)
    .reads.query('UPDATE google_resource SET sent_hash = NULL, due_at = $2 WHERE account_id = $1', [
      account.id,
      new Date(app.clock.now().getTime() + 3_600_000),
    ]);
  await app.get(GoogleSender).sendAlone({ ...owner, ids });
  expect(app.google.writesOf(account.id)).toEqual(['class background', 'object background', 'object background']);
});

it('a resource is not suspected of crashing processes only because its result could not be stored', async () => {
  const db = app.get(Database).reads;
  await account.patch('offer/ada', { code: 'NEW' }).expect(200);
  await db.query(
    `CREATE FUNCTION take_nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE SQLSTATE '57014'; END $$`,
  );
  await db.query(`
    CREATE TRIGGER take_nothing BEFORE UPDATE ON google_resource FOR EACH ROW WHEN (new.open_claims = 0 AND old.open_claims = 1)
      EXECUTE FUNCTION take_nothing()`);
  try {
    await world.send();
  } finally {
    await db.query('DROP TRIGGER take_nothing ON google_resource');
    await db.query('DROP FUNCTION take_nothing');
  }
  expect(app.google.writesOf(account.id)).toEqual(['object background']);
  const counted = () =>
    db.query<object[]>('SELECT FROM google_resource WHERE account_id = $1 AND open_claims > 0', [account.id]);
  while ((await counted()).length > 0) await pause(20);
});
