import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  dataSourceTo,
  emptySchemasSql,
  markRestoredSql,
  queueSchemaOf,
  schemaNameProblem,
  serviceClient,
  serviceName,
} from '@passwright/database';
import { DataSource } from 'typeorm';
import { copyFolder } from './folder-copy.js';
import { OperatorFailed } from './operator-session.js';
import { outputOf, runOn, runScript } from './postgres-programs.js';
import { createPrivateFile, PRIVATE_FOLDER } from './private-files.js';

/** The database to save or restore, and the folder of the service's files. */
export interface Installed {
  readonly url: string;
  /**
   * The schema of the tables; null without a separate schema. A backup then contains all schemas except those of other
   * services.
   */
  readonly schema: string | null;
  /** True if the nodes connect through a pooler. `url` always leads to the server itself. */
  readonly pooled: boolean;
  /** Null if the files are in a bucket, which the operator backs up and restores separately. */
  readonly storageDir: string | null;
  /** Environment variables for the Postgres programs. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The dump of everything except the keys of personal data. */
const DUMP = 'database.dump';
/** The dump of the keys of personal data. Keep only the newest copies of it. */
const KEYS = 'keys.dump';
/** The single dump that earlier versions wrote. It includes the keys. */
const WHOLE = 'passwright.dump';
const KEY_TABLE = 'encryption_key';
const STORAGE = 'storage';
/** The folder of the incarnation marks, which reveal a restored database. A restore must keep the current marks. */
const MARKS = 'incarnation';

/**
 * Saves the database in two parts, then the files. Keys of personal data are saved after the data, so that no key is
 * missing. Only the owner can read the backup.
 * @throws OperatorFailed
 */
export async function saveBackup({ url, schema, storageDir, environment }: Installed, folder: string): Promise<void> {
  // Keep the mode of an existing folder, which the operator has chosen.
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const dump = async (file: string, ...options: string[]) => {
    const path = join(folder, file);
    await createPrivateFile(path);
    await runOn({ url, environment }, 'pg_dump', ['--format=custom', `--file=${path}`, ...options]);
  };
  const keyTable = schema === null ? KEY_TABLE : `${schema}.${KEY_TABLE}`;
  const schemas = schema === null ? await exclusionsOfOthers(url) : both(schema).map((name) => `--schema=${name}`);
  await dump(DUMP, `--exclude-table-data=${keyTable}`, ...schemas);
  await dump(KEYS, '--data-only', `--table=${keyTable}`);
  if (storageDir === null || !(await isThere(storageDir))) return;
  await copyFolder(storageDir, storageOf(folder), { except: MARKS, isPrivate: true });
}

/** Returns the two schemas of a service: that of its tables and that of its job queue. */
function both(schema: string): readonly string[] {
  return [schema, queueSchemaOf(schema)];
}

/**
 * Returns the options that exclude the schemas of other services from a dump. Otherwise, the dump would contain both
 * their data and their keys.
 */
async function exclusionsOfOthers(url: string): Promise<string[]> {
  const others = await asOperator(url, (database) =>
    database.query<{ name: string }[]>(
      `SELECT nspname AS name FROM pg_namespace n
       WHERE nspname NOT IN ('public', coalesce(current_schema(), ''))
         AND EXISTS (SELECT FROM pg_class WHERE relnamespace = n.oid AND relname = 'migration')
         AND EXISTS (SELECT FROM pg_class WHERE relnamespace = n.oid AND relname = $1)`,
      [KEY_TABLE],
    ),
  );
  const names = others.map(({ name }) => name).filter((name) => schemaNameProblem(name) === null);
  return names.flatMap(both).map((name) => `--exclude-schema=${name}`);
}

/** Returns the folder of a backup's images. */
export function storageOf(folder: string): string {
  return join(folder, STORAGE);
}

/**
 * Restores a backup completely, or leaves the database unchanged. First empties the schemas, because they may have
 * tables that an older backup lacks. The restored database begins a new incarnation.
 * @param keysFolder the newest backup. The keys of personal data are restored from it, so that erased holders stay
 * erased
 * @throws OperatorFailed
 */
export async function restoreBackup(
  { url, schema, pooled, storageDir, environment }: Installed,
  folder: string,
  keysFolder: string,
): Promise<void> {
  const isWhole = !(await isThere(join(folder, DUMP))) && (await isThere(join(folder, WHOLE)));
  const [dump, keys] = [join(folder, isWhole ? WHOLE : DUMP), join(keysFolder, KEYS)];
  if (!(await isThere(dump)))
    throw new OperatorFailed(`There is no ${DUMP} in ${folder}: name the folder of a backup.`);
  if (!isWhole && !(await isThere(keys)))
    throw new OperatorFailed(`There is no ${KEYS} in ${keysFolder}: name the folder of the newest backup by --keys.`);
  await rejectRunningNodes(url, pooled, schema);
  await runScript({ url, environment }, async function* () {
    // Turn off the time limit, because dropping large tables takes time.
    yield `SET statement_timeout = 0;\n${emptySchemasSql(schema)}`;
    yield* outputOf('pg_restore', ['--no-owner', '--no-privileges', '--file=-', dump], environment);
    if (!isWhole) yield* outputOf('pg_restore', ['--data-only', '--file=-', keys], environment);
    yield markRestoredSql(schema);
  });
  const saved = storageOf(folder);
  if (storageDir !== null && (await isThere(saved))) await copyFolder(saved, storageDir, { except: MARKS });
}

/**
 * The advice for nodes behind a pooler in transaction mode. Postgres sees only the pooler's own connections, which do
 * not show whether a node runs.
 */
const POOLED_ADVICE =
  'The database has connections of the service. Stop all nodes first: this check does not see the nodes behind a ' +
  'pooler. Then run KILL with the name of the database in PgBouncer, which cuts off a node that you missed, and ' +
  'RESUME after the restore.';
const ADVICE =
  'A node of the service is connected to the database: stop it first. A pooler keeps connections of stopped nodes ' +
  'open for a while; RECONNECT closes them in PgBouncer.';

/** How long the server may take to close the connections of a node that has just stopped. */
const CLOSING_MS = 3000;
const LOOK_MS = 100;

/** @throws OperatorFailed if the service still has connections to Postgres after a short wait */
async function rejectRunningNodes(url: string, pooled: boolean, schema: string | null): Promise<void> {
  const isConnected = await asOperator(url, async (database) => {
    for (const end = performance.now() + CLOSING_MS; performance.now() < end; await pause(LOOK_MS))
      if (!(await hasNodes(database, schema))) return false;
    return true;
  });
  if (isConnected) throw new OperatorFailed(pooled ? POOLED_ADVICE : ADVICE);
}

async function hasNodes(database: DataSource, schema: string | null): Promise<boolean> {
  const [row] = await database.query<{ nodes: number }[]>(
    `SELECT count(*)::int AS nodes FROM pg_stat_activity
     WHERE datname = current_database() AND split_part(application_name, ' ', 1) = $1`,
    [serviceName(schema)],
  );
  return row !== undefined && row.nodes > 0;
}

async function asOperator<T>(url: string, work: (database: DataSource) => Promise<T>): Promise<T> {
  const database = new DataSource({ ...dataSourceTo(url, serviceClient(0)), applicationName: 'operator' });
  await database.initialize();
  try {
    return await work(database);
  } finally {
    await database.destroy();
  }
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
