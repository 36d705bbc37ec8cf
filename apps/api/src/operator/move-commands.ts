import { readFileSync } from 'node:fs';
import { isDeepStrictEqual, parseEnv } from 'node:util';
import { keysOfUsers } from '@passwright/accounts';
import { SecretBox } from '@passwright/core';
import { dataSourceTo, migrate, serviceClient } from '@passwright/database';
import type { Command } from 'commander';
import { DataSource } from 'typeorm';
import { type AppConfig, loadConfig } from '../config/config.js';
import { counted } from '../counted.js';
import { copyAccount, finishMove, hasAccount, type Move } from './account-copy.js';
import { unfreeze } from './account-freeze.js';
import { accountTables, namesIn } from './account-tables.js';
import type { Act } from './operator-command.js';
import { OperatorFailed } from './operator-session.js';
import { accountsOfItsUsers, requireOwnPassType, routesOutcome } from './move-routes.js';
import type { Environment } from './postgres-programs.js';
import type { Prepare } from './restore-commands.js';

/** The longest time that a statement waits for the lock of a table, because other statements queue behind it. */
const LOCK_MS = 500;
const accountForm = /^[\w-]{1,64}$/;
const toGroup = ['--to <file>', 'the environment of a node of the other group: its .env'] as const;

/** An installation: its configuration, and the environment of that configuration. */
interface Group {
  readonly config: AppConfig;
  readonly environment: Environment;
}

/** Adds `move`, which moves an account to another group of nodes with a Postgres of its own. */
export function addMoveCommands(program: Command, act: Act, prepare: Prepare): void {
  const move = program.command('move').description('Move accounts between groups, each with a Postgres of its own');
  move
    .command('prepare')
    .description('Migrate the database of a new group, and copy the key of users to it. Do this before its nodes start')
    .requiredOption(...toGroup)
    .action(
      prepare(async (config, environment, { to }: { to: string }) => {
        await prepareGroup({ config, environment }, groupOf(to, environment));
        return { text: 'The nodes of the group can start.\n', data: { prepared: true } };
      }),
    );
  addSteps(move, prepare);
  move
    .command('routes')
    .description("List the lines of the proxy's map that send an account's requests to a group")
    .argument('<accountId>')
    .argument('<group>', 'the name that the proxy uses for the group')
    .action(act((services, accountId: string, group: string) => routesOutcome(services, accountId, group)));
}

function addSteps(move: Command, prepare: Prepare): void {
  const add = (name: string, description: string, work: (move: Move) => Promise<{ text: string; data: object }>) =>
    move
      .command(name)
      .description(description)
      .argument('<accountId>')
      .requiredOption(...toGroup)
      .action(
        prepare((config, environment, accountId: string, { to }: { to: string }) =>
          withMove({ config, environment }, groupOf(to, environment), accountId, work),
        ),
      );
  add(
    'copy',
    'Reject changes of the account with 503, and copy it. Needs psql, and roles that may set session_replication_role',
    copy,
  );
  add(
    'finish',
    'Delete the account here, once its requests go to the other group. Repeat it after an interruption',
    finish,
  );
  add('cancel', 'Cancel an interrupted copy: accept changes of the account here again', cancel);
}

async function copy(move: Move) {
  const { accountId, database, target } = move;
  if (!(await hasAccount(target, accountId))) {
    if (!(await hasAccount(database, accountId))) throw new OperatorFailed(`There is no account "${accountId}".`);
    await requireOwnPassType(move);
    await copyAccount(move);
  }
  const text = `The account ${accountId} is in the other group. Send its requests there, then run "move finish".\n`;
  return withStaying(move, { text, data: { id: accountId } });
}

/** Adds a list of the accounts that share users with the moving account but stay. */
async function withStaying(move: Move, { text, data }: { text: string; data: object }) {
  const staying = await accountsOfItsUsers(move);
  if (staying.length === 0) return { text, data: { ...data, staying } };
  const hint =
    `Users of the account are also in ${staying.join(', ')}, where they cannot sign in any more: a user signs in to one ` +
    'group. Move these accounts too.\n';
  return { text: text + hint, data: { ...data, staying } };
}

async function finish(move: Move) {
  const { accountId, target } = move;
  if (!(await hasAccount(target, accountId)))
    throw new OperatorFailed(`The account ${accountId} is not in the other group: copy it first.`);
  const rows = await finishMove(move);
  return { text: `The account ${accountId} has left, with ${counted(rows, 'row')}.\n`, data: { id: accountId, rows } };
}

async function cancel(move: Move) {
  const { accountId, target } = move;
  if (await hasAccount(target, accountId))
    throw new OperatorFailed(`The account ${accountId} is in the other group already: run "move finish".`);
  await unfreeze(move);
  return { text: `The account ${accountId} stays here.\n`, data: { id: accountId } };
}

/** Reads the environment of a group from a file. Adds the command's own environment for the programs that it starts. */
function groupOf(file: string, own: Environment): Group {
  let environment: Environment;
  try {
    environment = parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new OperatorFailed(`The environment of the other group cannot be read: ${(error as Error).message}`);
  }
  return { config: loadConfig(environment), environment: { ...own, ...environment } };
}

/** Connects to both groups, and checks that an account can move between them. @throws OperatorFailed */
async function withMove<T>(here: Group, there: Group, accountId: string, work: (move: Move) => Promise<T>): Promise<T> {
  if (!accountForm.test(accountId)) throw new OperatorFailed(`"${accountId}" is not the id of an account.`);
  requireAlike(here.config, there.config);
  const [from, to] = [targetOf(here), targetOf(there)];
  const { schema } = here.config.database;
  return connected(from.url, schema, (database) =>
    connected(to.url, schema, async (target) => {
      await requireSameServer(database, target, here.config);
      const name = await namesIn(database);
      const tables = await accountTables(database, name);
      return work({ from, to, database, target, schema, name, tables, accountId });
    }),
  );
}

/** The parts of the configuration that both groups must share, by the variables that set them. */
const shared: Readonly<Record<string, (config: AppConfig) => unknown>> = {
  BASE_URL: ({ images }) => images.baseUrl,
  MASTER_KEYS: ({ encryptedSecrets }) => encryptedSecrets.masterKeys,
  ACCESS_TOKEN_SECRET: ({ accounts }) => accounts.accessTokenSecret,
  PASS_TOKEN_SECRET: ({ mcp }) => mcp.planSecret,
  DATABASE_SCHEMA: ({ database }) => database.schema,
  'S3_BUCKET or DATA_DIR': ({ storage }) => storage.store,
};

function requireAlike(here: AppConfig, there: AppConfig): void {
  const different = Object.entries(shared).filter(([, of]) => !isDeepStrictEqual(of(here), of(there)));
  if (different.length === 0) return;
  throw new OperatorFailed(`Both groups must have the same ${different.map(([variable]) => variable).join(', ')}.`);
}

function targetOf({ config, environment }: Group) {
  const { directUrl } = config.database;
  if (directUrl) return { url: directUrl, environment };
  throw new OperatorFailed('Set DATABASE_URL in both groups: an account cannot move from or to an embedded database.');
}

async function connected<T>(url: string, schema: string | null, work: (database: DataSource) => Promise<T>) {
  const options = dataSourceTo(url, serviceClient(0, { schema, lockMs: LOCK_MS }));
  const database = await new DataSource(options).initialize();
  return work(database).finally(() => database.destroy());
}

/** @throws OperatorFailed if the databases differ in a property that a move relies on */
async function requireSameServer(database: DataSource, target: DataSource, config: AppConfig): Promise<void> {
  const [here, there] = await Promise.all([database, target].map((each) => each.query<object[]>(migrationsSql)));
  if (!isDeepStrictEqual(here, there))
    throw new OperatorFailed('Both groups must run the same version: their migrations differ.');
  for (const each of [database, target]) {
    await each
      .transaction((tx) => tx.query('SET LOCAL session_replication_role = replica'))
      .catch((error: Error) => {
        throw new OperatorFailed(
          `${error.message}. As a superuser, run: GRANT SET ON PARAMETER session_replication_role TO <role>; before ` +
            'Postgres 15, use an address of a superuser.',
        );
      });
  }
  const keys = await Promise.all([keyOfUsers(database, config), keyOfUsers(target, config)]);
  if (keys[0] !== keys[1])
    throw new OperatorFailed('The groups have different keys of users: prepare a group before its nodes start.');
}

const migrationsSql = 'SELECT name FROM migration ORDER BY name';

async function keyOfUsers(database: DataSource, { encryptedSecrets }: AppConfig): Promise<string | null> {
  const wrapped = (await wrappedKey(database))[0]?.wrapped;
  if (!wrapped) return null;
  const box = new SecretBox(encryptedSecrets.masterKeys);
  return box.open(wrapped, { accountId: keysOfUsers, purpose: 'encryption-key' }).toString();
}

const keyTable = 'encryption_key';
const wrappedKey = (database: DataSource) =>
  database.query<{ wrapped: Buffer; completed_at: Date | null }[]>(
    `SELECT wrapped, completed_at FROM ${keyTable} WHERE account_id = $1 AND id = 'root'`,
    [keysOfUsers],
  );

async function prepareGroup(here: Group, there: Group): Promise<void> {
  requireAlike(here.config, there.config);
  const [{ url: from }, { url: to }] = [targetOf(here), targetOf(there)];
  const { schema } = here.config.database;
  await migrate(to, { schema });
  await connected(from, schema, (database) =>
    connected(to, schema, async (target) => {
      for (const { wrapped, completed_at } of await wrappedKey(database)) {
        await target.query(
          `INSERT INTO ${keyTable} (account_id, id, wrapped, completed_at) VALUES ($1, 'root', $2, $3) ON CONFLICT DO NOTHING`,
          [keysOfUsers, wrapped, completed_at],
        );
      }
      await requireSameServer(database, target, here.config);
    }),
  );
}
