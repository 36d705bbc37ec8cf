import { Database } from '@passwright/database';
import { TestApp, type TestAccount } from '../test-app.fixtures.js';
import { GoogleResourcesRepository, leaseMs } from './google-resources.repository.js';
import { GoogleSender } from './google-sender.js';
import type { SuspectGoogleResources } from './google.jobs.js';
import { GoogleWorld } from './google-world.fixtures.js';

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

/** Claims as a process does that dies before it settles anything, until its lease ends. */
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

const jobs = () =>
  app.get(Database).reads.query<{ payload: SuspectGoogleResources['payload'] }[]>(
    `SELECT payload FROM graphile_worker._private_jobs job JOIN graphile_worker._private_tasks task ON task.id = job.task_id
       WHERE task.identifier = 'google-wallet.alone' AND payload->>'accountId' = $1`,
    [account.id],
  );

it('a resource that was in hand at two deaths is left to a job that writes it alone, and others are written', async () => {
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
