import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { imageKey, imageTypeOf } from '@passwright/images';
import type { S3Storage } from '@passwright/storage';
import { counted } from '../counted.js';
import { OperatorFailed } from './operator-session.js';

/** The folder of the images. Everything else in the storage belongs to running nodes. */
export const IMAGES = 'images';
const COPIED_AT_ONCE = 8;
const REPORTED_EVERY = 500;

/** The result of copying a folder into a bucket. */
export interface Copied {
  /** The number of images in the bucket now, and their total size in bytes. */
  images: number;
  bytes: number;
  /** The number of images that were copied to the bucket. */
  added: number;
  /** The number of files that are not images of the service. */
  skipped: number;
  /** The paths of images whose content does not match their names. */
  readonly damaged: string[];
}

/**
 * Copies the images that the bucket lacks, and reads every image back.
 * @throws OperatorFailed for a folder that is not the storage of the service, and for a damaged copy
 */
export async function copyImages(from: string, to: S3Storage, report: (line: string) => void): Promise<Copied> {
  const accounts = await accountFolders(from);
  const copied: Copied = { images: 0, bytes: 0, added: 0, skipped: accounts.skipped, damaged: [] };
  for (const [at, account] of accounts.names.entries()) {
    const { names, skipped } = await imageFiles(from, account);
    copied.skipped += skipped;
    await copyAccount({ from, to, account, names, copied }, (images) =>
      report(`${counted(images, 'image')} so far, account ${at + 1} of ${accounts.names.length}\n`),
    );
  }
  if (copied.images + copied.damaged.length === 0) {
    throw new OperatorFailed(`There is no image in ${join(from, IMAGES)}: name the folder storage of DATA_DIR.`);
  }
  return copied;
}

interface AccountCopy {
  readonly from: string;
  readonly to: S3Storage;
  readonly account: string;
  readonly names: readonly string[];
  readonly copied: Copied;
}

async function copyAccount(work: AccountCopy, report: (images: number) => void): Promise<void> {
  const { to, account, names, copied } = work;
  if (names.length === 0) return;
  const there = new Map<string, number>();
  for await (const { key, sizeBytes } of to.list(`${IMAGES}/${account}`)) there.set(key, sizeBytes);
  const queue = names.values();
  const lane = async () => {
    for (const name of queue) {
      const isWhole = await copyImage(work, name, there);
      if (isWhole && (copied.images += 1) % REPORTED_EVERY === 0) report(copied.images);
    }
  };
  await Promise.all(Array.from({ length: COPIED_AT_ONCE }, lane));
}

/** @returns false, without copying, for a file that is damaged or was deleted meanwhile */
async function copyImage(
  { from, to, account, copied }: AccountCopy,
  name: string,
  there: ReadonlyMap<string, number>,
): Promise<boolean> {
  const path = join(from, IMAGES, account, name);
  const key = `${IMAGES}/${account}/${name}`;
  const bytes = await nullWhenGone(path, readFile(path));
  if (bytes === null) return false;
  const [hash = ''] = name.split('.');
  if (hashOf(bytes) !== hash) {
    copied.damaged.push(path);
    return false;
  }
  const isThere = there.get(key) === bytes.length && (await holds(to, key, hash));
  if (!isThere) {
    await to.put(key, bytes, imageTypeOf(name));
    if (!(await holds(to, key, hash))) throw new OperatorFailed(`${key} is read from the bucket as something else.`);
    copied.added += 1;
  }
  copied.bytes += bytes.length;
  return true;
}

/**
 * Returns the result of `access`; null if nothing is at the path.
 * @throws OperatorFailed for other failures
 */
export async function nullWhenGone<T>(path: string, access: Promise<T>): Promise<T | null> {
  return access.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new OperatorFailed(`${path} cannot be read (${error.code ?? error.message}).`);
  });
}

async function holds(storage: S3Storage, key: string, hash: string): Promise<boolean> {
  const bytes = await storage.get(key);
  return bytes !== null && hashOf(bytes) === hash;
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Lists the folders of accounts.
 * @throws OperatorFailed if `from` is not a storage folder, so that no private files get into the bucket
 */
async function accountFolders(from: string): Promise<{ names: string[]; skipped: number }> {
  await requireFolder(from, `There is no folder ${from}.`);
  const images = join(from, IMAGES);
  await requireFolder(images, `There is no folder ${IMAGES} in ${from}: name the folder storage of DATA_DIR.`);
  const sample = `${'0'.repeat(64)}.png`;
  return split(images, await readdir(images, { withFileTypes: true }), (entry) => {
    return entry.isDirectory() && imageKey(entry.name, sample) !== null;
  });
}

async function imageFiles(from: string, account: string): Promise<{ names: string[]; skipped: number }> {
  const folder = join(from, IMAGES, account);
  const entries = await nullWhenGone(folder, readdir(folder, { withFileTypes: true }));
  return split(folder, entries ?? [], (entry) => {
    return entry.isFile() && imageKey(account, entry.name) !== null;
  });
}

function split(folder: string, entries: readonly Dirent[], isMeant: (entry: Dirent) => boolean) {
  for (const entry of entries) if (entry.isSymbolicLink()) throw linked(join(folder, entry.name));
  const names = entries.filter(isMeant).map(({ name }) => name);
  return { names: names.sort(), skipped: entries.length - names.length };
}

async function requireFolder(path: string, missing: string): Promise<void> {
  const stats = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'ENOTDIR'].includes(error.code ?? '')) throw new OperatorFailed(missing);
    throw new OperatorFailed(`${path} cannot be read (${error.code ?? error.message}).`);
  });
  if (stats.isSymbolicLink()) throw linked(path);
  if (!stats.isDirectory()) throw new OperatorFailed(`${path} is not a folder.`);
}

function linked(path: string): OperatorFailed {
  return new OperatorFailed(`${path} is a symbolic link. Name the real folder; no link in it is followed.`);
}
