import { createHash } from 'node:crypto';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { migrate, migrations } from '@passwright/database';
import { removeEmbeddedPostgres, startEmbeddedPostgres } from '@passwright/embedded-postgres';
import { DataSource } from 'typeorm';
import { lostKeys } from '../doctor/apple-certificate-check.js';
import { type Installed, restoreBackup } from './backup.js';
import { OperatorFailed } from './operator-session.js';
import { nullWhenGone } from './storage-copy.js';

const IMAGES_AT_ONCE = 1000;
const MOST_NAMED = 5;

/** The content of a back-up. */
export interface BackupContent {
  readonly accounts: number;
  readonly templates: number;
  readonly passes: number;
  readonly members: number;
  /** The time of the newest change of a pass; null without passes. */
  readonly newestChange: Date | null;
  /** The number of images that the database names. */
  readonly images: number;
}

/** A back-up, and the keys that a restore of it would need. */
export interface CheckedBackup {
  readonly folder: string;
  /** The folder whose `keys.dump` is used. */
  readonly keysFolder: string;
  /** The folder of its images; null if they are in a bucket. */
  readonly imagesIn: string | null;
  readonly masterKeys: ReadonlySet<string>;
  readonly environment: Installed['environment'];
}

/**
 * Restores a back-up into a temporary database, as `restore` would, and compares it with its images and with the master
 * keys at hand. The database takes about as much room as the original.
 * @param scratch the folder for the temporary database. @throws OperatorFailed if the back-up cannot be restored
 */
export async function checkBackup(
  backup: CheckedBackup,
  scratch = tmpdir(),
): Promise<{ content: BackupContent; problems: string[] }> {
  const dataDir = await mkdtemp(join(scratch, 'passwright-backup-check-')).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorFailed(`There can be no temporary database in ${scratch} (${error.code}).`);
  });
  const interrupted = () => void removeEmbeddedPostgres(dataDir).finally(() => process.exit(1));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupted);
  try {
    const { url } = await startEmbeddedPostgres({ dataDir, durable: false });
    return await checkIn(url, backup);
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupted);
    await removeEmbeddedPostgres(dataDir);
  }
}

async function checkIn(url: string, backup: CheckedBackup) {
  const { folder, keysFolder, environment } = backup;
  await restoreBackup({ url, pooled: false, storageDir: null, environment }, folder, keysFolder);
  const source = await new DataSource({ type: 'postgres', url }).initialize();
  try {
    await rejectNewer(source);
    await migrate(url);
    const [content] = await source.query<[BackupContent]>(contentSql);
    const lost = await lostKeys(source, backup.masterKeys);
    const images = backup.imagesIn === null ? [] : await imageProblems(source, backup.imagesIn);
    return { content, problems: [...lost.map(({ found }) => found), ...images] };
  } finally {
    await source.destroy();
  }
}

const contentSql = `
  SELECT (SELECT count(*)::int FROM account) AS accounts, (SELECT count(*)::int FROM template) AS templates,
    (SELECT count(*)::int FROM pass) AS passes, (SELECT count(*)::int FROM member) AS members,
    (SELECT max(updated_at) FROM pass) AS "newestChange", (SELECT count(*)::int FROM stored_image) AS images`;

/** @throws OperatorFailed if a newer version has made the back-up */
async function rejectNewer(source: DataSource): Promise<void> {
  const applied = await source.query<{ name: string }[]>('SELECT name FROM migration');
  const unknown = applied.filter(({ name }) => !migrations.some((known) => known.name === name));
  if (unknown.length === 0) return;
  throw new OperatorFailed('A newer version has made this back-up. Run this command from that version.');
}

/** Reads each image that the database names. The name is the hash of the content, so a damaged file is noticed. */
async function imageProblems(source: DataSource, imagesIn: string): Promise<string[]> {
  const [missing, damaged]: [string[], string[]] = [[], []];
  for (let after: string | undefined = ''; after !== undefined;) {
    const sql = 'SELECT key FROM stored_image WHERE key > $1 ORDER BY key LIMIT $2';
    const rows: { key: string }[] = await source.query(sql, [after, IMAGES_AT_ONCE]);
    for (const { key } of rows) {
      const path = join(imagesIn, key);
      const bytes = await nullWhenGone(path, readFile(path));
      if (bytes === null) missing.push(key);
      else if (!basename(key).startsWith(createHash('sha256').update(bytes).digest('hex'))) damaged.push(key);
    }
    after = rows.at(-1)?.key;
  }
  return [...named('Missing', missing), ...named('Damaged', damaged)];
}

function named(what: string, keys: readonly string[]): string[] {
  if (keys.length === 0) return [];
  const more = keys.length > MOST_NAMED ? ` and ${keys.length - MOST_NAMED} more` : '';
  return [`${what} images (${keys.length}): ${keys.slice(0, MOST_NAMED).join(', ')}${more}.`];
}
