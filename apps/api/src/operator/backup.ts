import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { DataSource } from 'typeorm';
import { OperatorFailed } from './operator-session.js';

/** The database to save or to restore, and the folder of the service's files. */
export interface Installed {
  readonly url: string;
  readonly storageDir: string;
  /** For the programs of Postgres. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Everything but the keys of personal data. */
const DUMP = 'database.dump';
/** The keys of personal data: of these only the newest copies are kept. */
const KEYS = 'keys.dump';
/** A back-up of earlier versions, keys included. */
const WHOLE = 'passwright.dump';
const KEY_TABLE = 'encryption_key';
const STORAGE = 'storage';
/** The marks that tell a rolled-back database: those in use now must stay. */
const MARKS = 'incarnation';

/**
 * Saves the database in two parts, then the files. The keys of personal data come after what they open, so that each is
 * there; a file without a row does no harm. @throws OperatorFailed
 */
export async function saveBackup({ url, storageDir, environment }: Installed, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const dump = (file: string, ...options: string[]) =>
    run('pg_dump', ['--format=custom', `--file=${join(folder, file)}`, ...options], url, environment);
  await dump(DUMP, `--exclude-table-data=${KEY_TABLE}`);
  await dump(KEYS, '--data-only', `--table=${KEY_TABLE}`);
  if (await isThere(storageDir)) await copyFiles(storageDir, join(folder, STORAGE));
}

/**
 * Restores what `saveBackup` saved, each part of the database as a whole or not at all.
 * @param keysFolder the newest back-up, whose keys lack those of holders who were erased since. @throws OperatorFailed
 */
export async function restoreBackup(
  { url, storageDir, environment }: Installed,
  folder: string,
  keysFolder: string,
): Promise<void> {
  const isWhole = !(await isThere(join(folder, DUMP))) && (await isThere(join(folder, WHOLE)));
  const [dump, keys] = [join(folder, isWhole ? WHOLE : DUMP), join(keysFolder, KEYS)];
  if (!(await isThere(dump)))
    throw new OperatorFailed(`There is no ${DUMP} in ${folder}: name the folder of a back-up.`);
  if (!isWhole && !(await isThere(keys)))
    throw new OperatorFailed(`There is no ${KEYS} in ${keysFolder}: name the folder of the newest back-up by --keys.`);
  await refuseRunningNodes(url);
  const restore = (file: string, ...options: string[]) =>
    run('pg_restore', ['--no-owner', '--single-transaction', '--exit-on-error', ...options, file], url, environment);
  await restore(dump, '--clean', '--if-exists');
  if (!isWhole) await restore(keys, '--data-only');
  const saved = join(folder, STORAGE);
  if (await isThere(saved)) await copyFiles(saved, storageDir);
}

async function refuseRunningNodes(url: string): Promise<void> {
  const database = new DataSource({ type: 'postgres', url, applicationName: 'operator' });
  await database.initialize();
  try {
    const [row] = await database.query<{ nodes: number }[]>(
      `SELECT count(*)::int AS nodes FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE 'passwright%'`,
    );
    if (row && row.nodes > 0)
      throw new OperatorFailed('A node of the service is connected to the database: stop it first.');
  } finally {
    await database.destroy();
  }
}

async function copyFiles(from: string, to: string): Promise<void> {
  const isMark = (path: string) => relative(from, path).split(sep)[0] === MARKS;
  await cp(from, to, { recursive: true, filter: (path) => !isMark(path) });
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Runs a program of Postgres on a database. The password does not appear among the processes of the machine. */
async function run(
  program: string,
  options: readonly string[],
  url: string,
  environment: Installed['environment'],
): Promise<void> {
  const target = new URL(url);
  const password = decodeURIComponent(target.password);
  target.password = '';
  const env = { ...environment, ...(password && { PGPASSWORD: password }) };
  const child = spawn(program, [...options, `--dbname=${target.href}`], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const told: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => told.push(chunk));
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    if (code === 0) return;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (!isMissing) throw error;
    throw new OperatorFailed(`${program} is not installed: install the client programs of the server's version.`);
  }
  throw new OperatorFailed(`${program} failed: ${Buffer.concat(told).toString().trim()}`);
}
