import { JobDiscoveryService } from '@passwright/jobs/testing';
import { jobsIdle, partitionByAccount, testDatabase } from '@passwright/testing';
import { AppleWalletWorld, setPoints, showsPoints } from '../support/apple-wallet-world.js';
import { openApi, operationsOf, type Operation } from '../support/operations.js';
import { attempt, type Things, thingsOf } from '../support/own-things.js';
import { PartitionPlans } from '../support/partition-plans.js';
import type { Account } from '../support/running-service.js';
import { sharedStatements, wideStatements } from '../support/wide-statements.js';

let url: string;
let world: AppleWalletWorld;
let plans: PartitionPlans;

beforeAll(async () => {
  ({ url } = await testDatabase());
  await partitionByAccount(url, 4);
  plans = await PartitionPlans.watch(url);
  world = await AppleWalletWorld.start();
});
afterAll(() => world.stop());

/** Operations that delete or end a resource come last, because other operations need it. */
const order = (method: string, path: string) =>
  ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].indexOf(method) + (/^\/v1\/account$|logout/.test(path) ? 10 : 0);

async function callEveryOperation(account: Account): Promise<void> {
  const document = await openApi(world.service);
  const things: Things = await thingsOf(account);
  const key = await account.apiKey(
    ...['templates', 'passes', 'members', 'account'].flatMap((noun) => [`${noun}:read`, `${noun}:write`]),
  );
  const operations = operationsOf(document)
    .filter(({ isForPhones, secured, source }) => !isForPhones && (secured || !source.requestBody))
    .sort((one, other) => order(one.method, one.path) - order(other.method, other.path));
  const tokenOf = ({ path }: Operation) => (/^\/v1\/(auth|account)/.test(path) ? account.token : key);
  for (const operation of operations) {
    const { status } = await attempt(world.service, document, { operation, token: tokenOf(operation), things });
    expect({ id: operation.id, status: status < 500 || status }).toEqual({ id: operation.id, status: true });
  }
}

async function changePassesOnPhones(account: Account): Promise<void> {
  const held = await world.hold(account, 'offer');
  await setPoints(held, '120');
  await showsPoints(held, '120');
  await held.phone.setAutomaticUpdates(held.serial, false);
  await held.phone.setAutomaticUpdates(held.serial, true);
  const lines = Array.from({ length: 20 }, (_, n) => JSON.stringify({ id: `line-${n}` })).join('\n');
  const headers = { 'Content-Type': 'application/x-ndjson' };
  const batch = await account.post('/v1/pass/offer/batch', `${lines}\n`, headers);
  expect(batch.status).toBe(200);
}

async function runEverySchedule(): Promise<void> {
  const { schedules } = world.service.app.get(JobDiscoveryService, { strict: false }).find();
  for (const { name } of schedules) await world.sql(`SELECT graphile_worker.add_job($1, '{}')`, [name]);
  await jobsIdle(url);
}

it('every statement of the service touches one partition of each table, unless there is a reason', async () => {
  const accounts = await Promise.all([world.newAccount(), world.newAccount()]);
  for (const account of accounts) await changePassesOnPhones(account);
  for (const account of accounts) await callEveryOperation(account);
  await jobsIdle(url);
  await runEverySchedule();

  expect(plans.seen.size).toBeGreaterThan(150);
  const forms = wideStatements.flatMap(([, ...each]) => each);
  const wide = [...plans.wide.keys()];
  const explained = [...forms, ...sharedStatements];
  expect(wide.filter((sql) => !explained.some((form) => form.test(sql))).sort()).toEqual([]);
  expect(forms.filter((form) => !wide.some((sql) => form.test(sql)))).toEqual([]);
});
