import { loggedError } from '@passwright/core';
import { distribute, type Distribution, DistributionFailed, isDatabaseUnavailable } from '@passwright/database';
import { type Command, InvalidArgumentError } from 'commander';
import { databaseAt, type DatabaseAddresses, prepareDatabase } from '../prepare-database.js';
import type { DatabaseConfig } from '../config/database-config.js';
import type { Outcome } from './operator-command.js';
import { OperatorFailed } from './operator-session.js';
import type { Prepare } from './restore-commands.js';
import { list, table } from './table.js';

/** Adds `migrate`, for deployments that migrate before they replace nodes. @param report receives the steps */
export function addMigrateCommand(program: Command, prepare: Prepare, report: (line: string) => void): void {
  program
    .command('migrate')
    .description(
      'Migrate the schema of DATABASE_URL, as the service does when it starts. Waits if a node is migrating it',
    )
    .action(
      prepare(async ({ database }) => {
        const { url, directUrl } = database;
        if (!url || !directUrl)
          throw new OperatorFailed('Set DATABASE_URL: the service migrates the embedded database at its start.');
        await migrateOnce(database, { url, directUrl }, (step) => report(`The command ${step}.\n`));
        return { text: 'The schema is that of this version.\n', data: { migrated: true } };
      }),
    );
}

/**
 * Migrates the database. Fails immediately if the database is unavailable, because a deployment repeats the command.
 * @throws OperatorFailed
 */
async function migrateOnce(config: DatabaseConfig, addresses: DatabaseAddresses, begins: (step: string) => void) {
  try {
    await prepareDatabase(config, addresses, begins);
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    const reason = loggedError(error).message || 'no response';
    throw new OperatorFailed(`${databaseAt(addresses.directUrl)} is unavailable: ${reason}. Try again when it runs.`);
  }
}

interface Options {
  readonly apply?: boolean;
  readonly shards?: number;
}

/** Adds `database distribute`, for installations on Citus. @param report receives the steps */
export function addDatabaseCommands(program: Command, prepare: Prepare, report: (line: string) => void): void {
  program
    .command('database')
    .description('Change how the database stores the tables')
    .command('distribute')
    .description(
      'Distribute the tables by account over the servers of a Citus cluster, in one transaction. For trials, not for ' +
        'production: docs/decisions/0049 lists what has not been tested. Changes nothing without --apply. Run it with all ' +
        'nodes stopped, and again after each update',
    )
    .option('--apply', 'distribute the tables')
    .option('--shards <number>', 'the number of shards of each table; default: citus.shard_count', shards)
    .action(
      prepare(async ({ database }, _, { apply = false, shards: number }: Options) => {
        const { directUrl, schema } = database;
        if (!directUrl) throw new OperatorFailed('Set DATABASE_URL: an embedded database has one server.');
        const begins = (step: string) => report(`${step}\n`);
        const options = { schema, dryRun: !apply, begins, ...(number === undefined ? {} : { shards: number }) };
        const distribution = await distribute(directUrl, options).catch(rejectForOperator);
        return outcome(distribution, apply);
      }),
    );
}

function outcome(distribution: Distribution, isApplied: boolean): Outcome {
  const { servers, byAccount, onEveryServer, isNew } = distribution;
  const rows = [
    ...Object.entries(byAccount).map(([name, count]) => ({ name, count, place: 'by account' })),
    ...Object.entries(onEveryServer).map(([name, count]) => ({ name, count, place: 'on every server' })),
  ];
  const state = (name: string) => (isNew.includes(name) ? (isApplied ? 'new' : 'to do') : 'done before');
  const tables = table(rows, {
    table: ({ name }) => name,
    rows: ({ count }) => count,
    distributed: ({ place }) => place,
    state: ({ name }) => state(name),
  });
  const text = isApplied
    ? 'The tables are distributed, with the same numbers of rows as before.\n'
    : 'Nothing was changed. Stop all nodes, make a backup, and repeat the command with --apply.\n';
  return { text: `${tables}\n${list({ servers })}\n${text}`, data: { ...distribution, applied: isApplied } };
}

/** @throws OperatorFailed with the message of the error */
function rejectForOperator(error: Error): never {
  if (error instanceof DistributionFailed) throw new OperatorFailed(error.message);
  throw new OperatorFailed(`Nothing was changed: ${error.message}`);
}

function shards(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1 to 9999.');
}
