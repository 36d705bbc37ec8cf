import { Database } from '@passwright/database';
import { Claimant } from '@passwright/jobs';
import { whileAlive } from '@passwright/jobs/testing';
import { GoogleWorld, running } from '../google-world.fixtures.js';
import { TestApp, type TestAccount } from '../test-app.fixtures.js';
import { GoogleDueCron } from './google-due.cron.js';
import { GoogleResourcesRepository } from './google-resources.repository.js';

let app: TestApp;
let world: GoogleWorld;
let account: TestAccount;

const writes = () => app.google.writesOf(account.id);
const endDeadClaims = () => app.get(GoogleDueCron).endDeadClaims(running());

beforeAll(async () => {
  app = await TestApp.start();
  world = new GoogleWorld(app);
});
afterAll(() => app.stop());
beforeEach(async () => {
  account = await app.account();
  await account.template('offer');
  await account.post('offer/ada', {}).expect(200);
  await world.link(account, 'offer/ada').expect(200);
  await account.patch('offer/ada', { code: 'NEW' }).expect(200);
  app.google.reset();
});

/** Claims the due resource, and records nothing. */
async function claim(): Promise<void> {
  const [row] = await app
    .get(Database)
    .reads.query<{ issuerId: string }[]>(
      'SELECT issuer_id AS "issuerId" FROM google_resource WHERE account_id = $1 LIMIT 1',
      [account.id],
    );
  const owner = { accountId: account.id, issuerId: row?.issuerId ?? '' };
  expect(await app.get(GoogleResourcesRepository).claimDue(owner, 10, app.clock.now())).toHaveLength(1);
}

it('writes at once a resource that a process had claimed that has died', async () => {
  app.get(Claimant).name();
  await claim();
  await world.send();
  expect(writes()).toEqual([]);
  await endDeadClaims();
  expect(writes()).toHaveLength(1);
});

it('leaves a resource that a living process has claimed', async () => {
  const key = app.get(Claimant).name();
  await claim();
  await whileAlive(app.get(Database), key, endDeadClaims);
  expect(writes()).toEqual([]);
});
