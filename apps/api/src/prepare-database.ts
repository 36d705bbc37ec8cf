import {
  DatabaseRejected,
  inspectConnection,
  isDatabaseUnavailable,
  migrate,
  SeveralPrimaries,
  serverUrls,
} from '@passwright/database';
import type { DatabaseConfig } from './config/database-config.js';
import { type PoolerProblem, poolerProblems } from './pooler-problems.js';

/** The addresses of the database of a running service. They are equal unless `url` leads to a pooler. */
export interface DatabaseAddresses {
  readonly url: string;
  readonly directUrl: string;
}

/** Names a database and its servers, as the beginning of a sentence. */
export function databaseAt(url: string): string {
  const servers = serverUrls(url).map((each) => new URL(each));
  return `The database ${servers[0]?.pathname.slice(1)} at ${servers.map(({ host }) => host).join(', ')}`;
}

/**
 * Says what to do if several servers of an address accept writes; null for any other error.
 * @param variable the variable with the address
 */
export function adviceOnPrimaries(variable: string, error: unknown): string | null {
  if (!(((error as Error).cause ?? error) instanceof SeveralPrimaries)) return null;
  return (
    'Stop all of these servers but the one with the newest data. Make the others standbys of it with pg_basebackup, ' +
    `or take them out of ${variable}.`
  );
}

/** The database cannot be used. The message gives the reason. */
export class DatabaseFailed extends Error {
  /** @param variable names the variable with the address, or both variables that may be wrong */
  constructor(variable: string, url: string, error: NodeJS.ErrnoException) {
    const { message, code } = error;
    const advice =
      adviceOnPrimaries(variable, error) ??
      (message.startsWith('unsupported startup parameter')
        ? `A pooler rejects that parameter: take it out of ${variable} and of PGOPTIONS, and set it for the role.`
        : `Check ${variable}, that the server runs, and that the role may create tables in that database.`);
    super(`${databaseAt(url)} cannot be used: ${message || (code ?? 'no response')}. ${advice}`);
    this.name = 'DatabaseFailed';
  }
}

/** The service cannot work with the pooler's setup. The message says what to set. */
export class PoolerFailed extends Error {
  constructor(problems: readonly PoolerProblem[]) {
    super(problems.map(({ found, fix }) => `${found} ${fix}`).join('\n'));
    this.name = 'PoolerFailed';
  }
}

/**
 * Returns the result of `work`, which uses the database at `url`.
 * @throws DatabaseFailed if the database fails for a reason that waiting cannot fix
 */
export async function orDatabaseFailed<T>(variable: string, url: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const waitingHelps = isDatabaseUnavailable(error) && !(error instanceof DatabaseRejected);
    throw !waitingHelps && isFromDatabase(error) ? new DatabaseFailed(variable, url, error) : error;
  }
}

/**
 * Checks the servers or poolers at the addresses, and migrates the database. Does not check the embedded server.
 * @param begins called at the beginning of each step.
 * @throws PoolerFailed, DatabaseFailed
 */
export async function prepareDatabase(
  config: DatabaseConfig,
  addresses: DatabaseAddresses,
  begins: (step: string) => void,
): Promise<void> {
  const migrated = () => migrate(addresses.directUrl, { schema: config.schema, begins });
  if (config.url === null) return migrated();
  begins('checks its connections');
  await checkPooler(config, addresses);
  const variable = config.pooled ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL';
  await orDatabaseFailed(variable, addresses.directUrl, migrated());
}

async function checkPooler(config: DatabaseConfig, { url, directUrl }: DatabaseAddresses): Promise<void> {
  const direct = config.pooled
    ? await orDatabaseFailed('DATABASE_DIRECT_URL', directUrl, inspectConnection(directUrl))
    : null;
  const reports = { url: await orDatabaseFailed('DATABASE_URL', url, inspectConnection(url)), direct };
  const problems = poolerProblems(reports, config);
  if (problems.length > 0) throw new PoolerFailed(problems);
}

function isFromDatabase(error: unknown): error is NodeJS.ErrnoException {
  if (error instanceof DatabaseRejected) return true;
  return error instanceof Error && ('severity' in error || 'syscall' in error || /Postgres/.test(error.message));
}
