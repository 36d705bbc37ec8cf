import { createHash, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { debianPrograms, emptyDatabase, jobsIdle, type TestDatabase, testDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { accountTables, namesIn, tablesThatStay } from '../../src/operator/account-tables.js';
import { AppleWalletWorld, type Held, mustBe, points, shownField, showsPoints } from '../support/apple-wallet-world.js';
import { operatorRun } from '../support/operator-run.js';
import type { Account, RunningService } from '../support/running-service.js';

/* Two groups, each a node with its own database. `serving` is the group that phones and callers reach. */
const isInstalled = debianPrograms() !== null;
if (!isInstalled) process.stderr.write('move-account.e2e-spec.ts is skipped: install the Debian package postgresql.\n');
const itWithPsql = isInstalled ? it : it.skip;

jest.setTimeout(120_000);

let world: AppleWalletWorld;
let first: RunningService;
let second: RunningService;
let other: TestDatabase;
let databases: { readonly first: DataSource; readonly second: DataSource };
let serving: RunningService;
const files = { first: '', second: '' };

beforeAll(async () => {
  world = await AppleWalletWorld.withoutNodes();
  first = serving = await world.addNode();
  other = await emptyDatabase();
  for (const [name, url] of [
    ['first', (await testDatabase()).url],
    ['second', other.url],
  ] as const) {
    files[name] = join(first.dataDir, `${name}.env`);
    const { BASE_URL, DATABASE_URL, DATA_DIR } = variablesOf(url);
    writeFileSync(files[name], `BASE_URL=${BASE_URL}\nDATABASE_URL=${DATABASE_URL}\nDATA_DIR="${DATA_DIR}"\n`);
  }
  expect(await move('first', 'prepare')).toMatch('can start');
  second = await world.addNode({ DATABASE_URL: other.url });
  databases = { first: first.app.get(DataSource), second: second.app.get(DataSource) };
});
afterAll(async () => {
  await world.stop();
  await other.drop();
});
beforeEach(() => {
  serving = first;
});

/** Runs `move` from one group to the other. @returns its output, even if it fails */
async function move(from: 'first' | 'second', ...words: string[]): Promise<string> {
  const url = from === 'first' ? (await testDatabase()).url : other.url;
  const to = files[from === 'first' ? 'second' : 'first'];
  const { out, err } = await operatorRun(['move', ...words, '--to', to], variablesOf(url));
  return out + err;
}

function variablesOf(url: string): Record<string, string | undefined> {
  const { PATH } = process.env;
  return { PATH, BASE_URL: world.environment.BASE_URL, DATABASE_URL: url, DATA_DIR: first.dataDir };
}

/** Registers an account with a certificate of its own. Only such an account can move if it has phones. */
async function accountWithPhone(): Promise<{ account: Account; held: Held }> {
  const account = await first.register();
  const own = world.certificates.pass({ passTypeIdentifier: `pass.com.example.a${randomUUID().slice(0, 8)}` });
  const body = {
    certificate: own.certificatePem,
    privateKey: own.privateKeyPem,
    intermediate: own.intermediatePem,
  };
  mustBe(200, await first.request('PUT', '/v1/account/walletA', { token: account.token, body }));
  await world.saveTemplate(account, 'offer');
  await world.templatesMarked();
  const held = await world.hold(
    account,
    'offer',
    {},
    world.phone(() => serving.baseUrl),
  );
  return { account, held };
}

const change = (node: RunningService, { account, path }: Held, value: string) =>
  node.request('PATCH', path, { token: account.token, body: points(value) });

/** Returns an account's rows by table, as text, without columns that a move does not copy. */
async function rowsOf(database: DataSource, accountId: string): Promise<Record<string, string[]>> {
  const name = await namesIn(database);
  const found: Record<string, string[]> = {};
  for (const table of await accountTables(database, name)) {
    const columns = table.columns.map((column) => `"${column}"`).join();
    const rows = await database.query<{ row: string }[]>(
      `SELECT to_jsonb(r)::text AS row FROM (SELECT ${columns} FROM ${name(table.name)} WHERE ${table.condition(accountId)}) r`,
    );
    if (rows.length > 0) found[table.name] = rows.map(({ row }) => row).sort();
  }
  return found;
}

it('a move knows every table and every column of the schema', async () => {
  const { first: database } = databases;
  const name = await namesIn(database);
  const tables = await accountTables(database, name);
  const all = await database.query<{ name: string }[]>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace
      AND relkind IN ('r', 'p') AND NOT relispartition`,
  );
  const known = [...tables.map((table) => table.name), ...tablesThatStay];
  expect(known.sort()).toEqual(all.map((table) => table.name).sort());
  const left: string[] = [];
  for (const table of tables) {
    const columns = await database.query<{ name: string }[]>(
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = '${name(table.name)}'::regclass AND attnum > 0 AND NOT attisdropped`,
    );
    left.push(...columns.filter((c) => !table.columns.includes(c.name)).map((c) => `${table.name}.${c.name}`));
  }
  // A move does not copy these columns. Each has a default or may be null.
  expect(left.sort()).toEqual([
    'apple_device.listed_in',
    'apple_registration.registered_in',
    'deleted_pass.changed_in',
    'pass.changed_in',
    'template.changed_in',
    'webhook_event.position',
    'webhook_event.recorded_in',
  ]);
});

itWithPsql('an account moves with every row, leaves nothing behind, and other accounts keep theirs', async () => {
  const { account, held } = await accountWithPhone();
  const stays = await first.register();
  mustBe(201, await account.post('/v1/webhooks', { name: 'Pull' }));
  mustBe(200, await change(first, held, '1'));
  await showsPoints(held, '1');
  await world.jobsIdle();
  const others = await rowsOf(databases.first, stays.id);

  expect(await move('first', 'copy', account.id)).toMatch(`The account ${account.id} is in the other group`);
  expect(Object.keys(await rowsOf(databases.second, account.id)).length).toBeGreaterThan(15);
  expect(await rowsOf(databases.second, account.id)).toEqual(await rowsOf(databases.first, account.id));
  const frozen = await change(first, held, '2');
  expect(frozen).toMatchObject({ status: 503, body: { code: 'not_ready' } });
  expect(frozen.headers.get('retry-after')).toBe('1');
  expect((await first.request('GET', held.path, { token: account.token })).status).toBe(200);
  expect((await stays.patch('/v1/account', { name: 'Others' })).status).toBe(200);

  serving = second;
  const { out } = await operatorRun(['move', 'routes', account.id, 'group_b'], variablesOf((await testDatabase()).url));
  const hash = createHash('sha256').update(account.email).digest('hex');
  const [service] = [...held.phone.tokens.keys()];
  for (const key of [account.id.slice(4), hash, service]) expect(out.split('\n')).toContain(`${key} group_b`);
  expect(await move('first', 'finish', account.id)).toMatch('has left');
  expect(await rowsOf(databases.first, account.id)).toEqual({});
  expect(Object.keys(await rowsOf(databases.first, stays.id))).toEqual(Object.keys(others));
  const left = `SELECT tgname AS name FROM pg_trigger WHERE tgname LIKE 'moving_%'`;
  expect(await databases.first.query(left)).toEqual([]);
  mustBe(200, await change(second, held, '3'));
  await showsPoints(held, '3');
  const { email, password } = account;
  mustBe(200, await second.request('POST', '/v1/auth/login', { body: { email, password } }));
});

itWithPsql('a phone that sleeps while its account moves away and back shows what has changed meanwhile', async () => {
  const { account, held } = await accountWithPhone();
  mustBe(200, await change(first, held, '1'));
  await showsPoints(held, '1');
  await move('first', 'copy', account.id);
  await move('first', 'finish', account.id);
  world.phones.delete(held.phone);
  mustBe(200, await change(second, held, '2'));
  await jobsIdle(other.url);
  expect(await move('second', 'copy', account.id)).toMatch('is in the other group');
  expect(await move('second', 'finish', account.id)).toMatch('has left');
  // The phone sends the tag that it got before the move.
  await held.phone.push();
  expect(shownField(held, 'points')).toBe('2');
  expect(await rowsOf(databases.second, account.id)).toEqual({});
});

itWithPsql(
  'a group that has not pushed before begins to number its pushes above the numbers of the copied account',
  async () => {
    const { account } = await accountWithPhone();
    const next = (database: DataSource) =>
      database.query<[{ number: string }]>(`SELECT nextval('apple_push_number') AS number`);
    await databases.first.query(`SELECT setval('apple_push_number', 1000)`);
    await databases.second.query(`SELECT setval('apple_push_number', 1000, false)`);
    await move('first', 'copy', account.id);
    expect(await next(databases.second)).toEqual([{ number: '1001' }]);
    await move('first', 'finish', account.id);
  },
);

itWithPsql(
  'a move with failed and repeated steps leaves the account where it is, and accepts its changes',
  async () => {
    const { account, held } = await accountWithPhone();
    expect(await move('first', 'finish', account.id)).toMatch('copy it first');
    const [user] = await databases.first.query<[{ uid: string; email: string }]>(
      'SELECT u.* FROM app_user u JOIN account_member m USING (uid) WHERE m.account_id = $1',
      [account.id],
    );
    const add = `INSERT INTO app_user (uid, email, name, created_at) VALUES ('stranger', $1, 'Stranger', now())`;
    await databases.second.query(add, [user.email]);
    expect(await move('first', 'copy', account.id)).toMatch('app_user_email_key');
    expect(await rowsOf(databases.second, account.id)).toEqual({});
    mustBe(200, await change(first, held, '1'));
    await databases.second.query(`DELETE FROM app_user WHERE uid = 'stranger'`);

    await move('first', 'copy', account.id);
    expect(await move('first', 'copy', account.id)).toMatch('is in the other group');
    expect(await move('first', 'cancel', account.id)).toMatch('run "move finish"');
    serving = second;
    await move('first', 'finish', account.id);
    expect(await move('first', 'finish', account.id)).toMatch('has left');
    mustBe(200, await change(second, held, '2'));
    await showsPoints(held, '2');
  },
);

itWithPsql('a copy names the accounts that share users with the account but stay, such as a test account', async () => {
  const { account } = await accountWithPhone();
  const stranger = await first.register();
  const body = { name: 'Analytical Engines (test)', test: true };
  const { accountId } = mustBe(201, await account.post('/v1/auth/accounts', body)).body;
  const said = await move('first', 'copy', account.id);
  expect(said).toMatch(`Users of the account are also in ${accountId}, where they cannot sign in any more`);
  expect(said).not.toMatch(stranger.id);
  await move('first', 'finish', account.id);
  await move('first', 'copy', accountId);
  expect(await move('first', 'finish', accountId)).toMatch('has left');
  const { email, password } = account;
  const login = mustBe(200, await second.request('POST', '/v1/auth/login', { body: { email, password } }));
  const token = login.body.accessToken;
  mustBe(200, await second.request('POST', '/v1/auth/switch', { token, body: { accountId } }));
});

itWithPsql('an account whose passes have the pass type of the operator does not move', async () => {
  const account = await world.newAccount();
  await world.hold(account, 'offer');
  expect(await move('first', 'copy', account.id)).toMatch('Give the account a certificate of its own');
  expect((await account.patch('/v1/account', { name: 'Stays' })).status).toBe(200);
});
