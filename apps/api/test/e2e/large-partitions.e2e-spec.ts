import { partitionByAccount, testDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { AppleWalletWorld, mustBe, setPoints, shownField } from '../support/apple-wallet-world.js';
import { PartitionPlans } from '../support/partition-plans.js';
import { addPassesOfOthers } from '../support/passes-of-others.js';
import { Account, type RunningService } from '../support/running-service.js';
import { wideStatements } from '../support/wide-statements.js';

/* To run with a million passes: PASSES=1000000 ACCOUNTS=1000 npx jest -c ../../jest.config.mjs large-partitions */
const { PASSES = '8000', ACCOUNTS = '20' } = process.env;
/**
 * The maximum number of rows that a statement may read: more than the account under test has, and fewer than any other
 * account has.
 */
const MOST_ROWS = 100;

jest.setTimeout(60_000 + Number(PASSES));

let world: AppleWalletWorld;
let node: RunningService;
let account: Account;
let key: string;
let plans: PartitionPlans;

// Run no jobs, because scheduled jobs may read more rows.
const ROLE = 'api';

beforeAll(async () => {
  const { url } = await testDatabase();
  await partitionByAccount(url, 4);
  world = await AppleWalletWorld.withoutNodes();
  const first = await world.addNode({ ROLE });
  const [model, owner] = [await first.register(), await first.register()];
  for (const each of [model, owner]) await world.saveTemplate(each, 'offer');
  await world.hold(model, 'offer');
  key = await owner.apiKey('templates:read', 'passes:read');
  const database = await new DataSource({ type: 'postgres', url, poolSize: 1 }).initialize();
  await addPassesOfOthers(database, model.id, { accounts: Number(ACCOUNTS), passes: Number(PASSES) });
  await database.destroy();
  plans = await PartitionPlans.watch(url);
  node = await world.addNode({ ROLE });
  account = new Account(node, owner.email, owner.password, owner.id, owner.token, owner.refreshToken);
});
afterAll(() => world.stop());

async function callFrequentRoutes(): Promise<void> {
  const phone = world.phone(() => node.baseUrl);
  const held = await world.hold(account, 'offer', {}, phone);
  await setPoints(held, '120');
  await phone.push();
  expect([shownField(held, 'points'), phone.failed]).toEqual(['120', []]);
  const { body } = mustBe(200, await account.post(held.path, {}));
  for (const path of [held.path, '/v1/pass/offer', '/v1/templates/offer', body.walletAUrl, body.webUrl])
    mustBe(200, await node.request('GET', path, { token: key }));
  const lines = Array.from({ length: 20 }, (_, n) => JSON.stringify({ id: `line-${n}` })).join('\n');
  mustBe(200, await account.post('/v1/pass/offer/batch', `${lines}\n`, { 'Content-Type': 'application/x-ndjson' }));
  for (const action of ['redeem', 'void']) mustBe(200, await account.post(`${held.path}/${action}`));
  await phone.remove(held.serial);
}

it('each statement of a frequent request reads few rows; a statement that names an account reads one partition', async () => {
  await callFrequentRoutes();

  expect(plans.rowsRead.size).toBeGreaterThan(30);
  const forms = wideStatements.flatMap(([, ...each]) => each);
  expect([...plans.wide.keys()].filter((sql) => !forms.some((form) => form.test(sql)))).toEqual([]);
  expect([...plans.rowsRead].filter(([, rows]) => rows > MOST_ROWS)).toEqual([]);
});
