import { jobsIdle, partitionByAccount, testDatabase } from '@passwright/testing';
import { AppleWalletWorld, genericImages, setPoints, showsPoints } from '../support/apple-wallet-world.js';
import { addEverySchedule, callEveryOperation } from '../support/every-operation.js';
import { PartitionPlans } from '../support/partition-plans.js';
import type { Account } from '../support/running-service.js';
import { sharedStatements, wideStatements } from '../support/wide-statements.js';

// The spec calls every operation for two accounts, and records the plan of each statement.
jest.setTimeout(90_000);

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

it('every statement of the service touches one partition of each table, except for the listed statements', async () => {
  const accounts = await Promise.all([world.newAccount(), world.newAccount()]);
  for (const account of accounts) await changePassesOnPhones(account);
  for (const account of accounts) await callEveryOperation(account, genericImages);
  await jobsIdle(url);
  await addEverySchedule(world.service);
  await jobsIdle(url);

  expect(plans.rowsRead.size).toBeGreaterThan(150);
  const forms = wideStatements.flatMap(([, ...each]) => each);
  const wide = [...plans.wide.keys()];
  const explained = [...forms, ...sharedStatements];
  expect(wide.filter((sql) => !explained.some((form) => form.test(sql))).sort()).toEqual([]);
  expect(forms.filter((form) => !wide.some((sql) => form.test(sql)))).toEqual([]);
});
