import { createHash } from 'node:crypto';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { dataSourceTo, migrate, migrations, serviceClient } from '@passwright/database';
import { removeEmbeddedPostgres, startEmbeddedPostgres } from '@passwright/embedded-postgres';
import { storedImages } from '@passwright/images';
import { DataSource } from 'typeorm';
import { lostKeys } from '../doctor/lost-master-keys.js';
import { type Installed, restoreBackup } from './backup.js';
import { OperatorFailed } from './operator-session.js';
import { nullWhenGone } from './storage-copy.js';

const MOST_NAMED = 5;

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

/** A backup, and the keys that are needed to restore it. */
export interface CheckedBackup {
  readonly folder: string;
  /** The folder that contains the `keys.dump` to use. */
  readonly keysFolder: string;
  /** The folder of the backup's images; null if the images are in a bucket. */
  readonly imagesIn: string | null;
  readonly schema: Installed['schema'];
  readonly masterKeys: ReadonlySet<string>;
  readonly environment: Installed['environment'];
}

/**
 * Restores a backup into a temporary database, and compares it with its images and the configured master keys. The
 * temporary database takes about as much space as the original.
 * @param scratch the folder for the temporary database.
 * @throws OperatorFailed if the backup cannot be restored
 */
export async function checkBackup(
  backup: CheckedBackup,
  scratch = tmpdir(),
): Promise<{ content: BackupContent; problems: string[] }> {
  const dataDir = await mkdtemp(join(scratch, 'passwright-backup-check-')).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorFailed(`A temporary database cannot be created in ${scratch} (${error.code}).`);
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
  const { folder, keysFolder, schema, environment } = backup;
  await restoreBackup({ url, schema, pooled: false, storageDir: null, environment }, folder, keysFolder);
  const source = await new DataSource(dataSourceTo(url, serviceClient(0, { schema }))).initialize();
  try {
    await rejectNewer(source);
    await migrate(url, { schema });
    const lost = await lostKeys(source, backup.masterKeys);
    const images = await checkImages(source, backup.imagesIn);
    const content = { ...(await contentOf(source)), images: images.count };
    return { content, problems: [...lost.map(({ found }) => found), ...images.problems] };
  } finally {
    await source.destroy();
  }
}

/** The tables whose rows are counted. */
const counted = { accounts: 'account', templates: 'template', passes: 'pass', members: 'member' } as const;

async function contentOf(source: DataSource): Promise<Omit<BackupContent, 'images'>> {
  const counts = Object.entries(counted).map(([name, table]) => `(SELECT count(*)::int FROM ${table}) AS ${name}`);
  const newest = `(SELECT max(updated_at) FROM ${counted.passes}) AS "newestChange"`;
  const [content] = await source.query<[Omit<BackupContent, 'images'>]>(`SELECT ${[...counts, newest].join()}`);
  return content;
}

/** @throws OperatorFailed if a newer version made the backup */
async function rejectNewer(source: DataSource): Promise<void> {
  const applied = await source.query<{ name: string }[]>('SELECT name FROM migration');
  const unknown = applied.filter(({ name }) => !migrations.some((known) => known.name === name));
  if (unknown.length === 0) return;
  throw new OperatorFailed('A newer version has made this backup. Run this command from that version.');
}

/**
 * Reads each image that the database names. The name is the hash of the content, so it reveals damage.
 * @param imagesIn the folder of the images; if null, only counts the images
 */
async function checkImages(
  source: DataSource,
  imagesIn: string | null,
): Promise<{ count: number; problems: string[] }> {
  const [missing, damaged]: [string[], string[]] = [[], []];
  let count = 0;
  for await (const key of storedImages(source)) {
    count += 1;
    if (imagesIn === null) continue;
    const path = join(imagesIn, key);
    const bytes = await nullWhenGone(path, readFile(path));
    if (bytes === null) missing.push(key);
    else if (!basename(key).startsWith(createHash('sha256').update(bytes).digest('hex'))) damaged.push(key);
  }
  return { count, problems: [...named('Missing', missing), ...named('Damaged', damaged)] };
}

function named(what: string, keys: readonly string[]): string[] {
  if (keys.length === 0) return [];
  const more = keys.length > MOST_NAMED ? ` and ${keys.length - MOST_NAMED} more` : '';
  return [`${what} images (${keys.length}): ${keys.slice(0, MOST_NAMED).join(', ')}${more}.`];
}
