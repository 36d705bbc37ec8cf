import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rmdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStorage } from '@passwright/core';
import { type LocalStore, LocalStorage, S3RequestFailed, S3Storage, type S3Store } from '@passwright/storage';
import { type Finding, type Installation, ok, problem, reasonOf, warning } from './finding.js';

const MIB = 2 ** 20;
const LEAST_FREE = 100 * MIB;
const LITTLE_FREE = 1024 * MIB;
const FOLDER = 'doctor';

/**
 * Checks that the service can write, read and delete in the image storage, and that the storage has free space. Leaves
 * nothing behind.
 */
export function storageCheck({ config, limitMs }: Installation): Promise<Finding[]> {
  const { store } = config.storage;
  return store.kind === 's3' ? bucketCheck(store, limitMs) : folderCheck(store);
}

async function folderCheck({ dir }: LocalStore): Promise<Finding[]> {
  if (!existsSync(dir)) return [ok(`There are no images yet in ${dir}.`)];
  try {
    await tryOut(new LocalStorage(dir));
    // Ignore a failure, because another doctor may be using the folder.
    await rmdir(join(dir, FOLDER)).catch(() => undefined);
  } catch (error) {
    const fix = 'Let the user that runs the service write there, and give it room.';
    return [problem(`Images cannot be kept in ${dir}: ${reasonOf(error)}.`, fix)];
  }
  const { bavail, bsize } = await statfs(dir);
  const free = bavail * bsize;
  const found = `Images are kept in ${dir}, ${Math.round(free / MIB)} MiB free.`;
  const fix = 'Make room, or move DATA_DIR to a larger disk.';
  if (free < LEAST_FREE) return [problem(found, fix)];
  return [free < LITTLE_FREE ? warning(found, fix) : ok(found)];
}

async function bucketCheck(store: S3Store, limitMs: number): Promise<Finding[]> {
  const place = `the bucket ${store.bucket}${store.endpoint ? ` at ${store.endpoint}` : ` in ${store.region}`}`;
  // Limit each attempt, so that two attempts to write and two to delete fit into the time limit of a check.
  const limits = { attempts: 2, attemptMs: limitMs * 0.2, totalMs: limitMs * 0.45 };
  const storage = await S3Storage.load({ ...store, limits });
  try {
    await tryOut(storage, (key) => requireListed(storage, key));
  } catch (error) {
    return [bucketProblem(place, error)];
  } finally {
    storage.onApplicationShutdown();
  }
  return [ok(`Images are kept in ${place}.`)];
}

function bucketProblem(place: string, error: unknown): Finding {
  const { cause } = error as Error;
  const { reason, hint } = cause instanceof S3RequestFailed ? cause : { reason: reasonOf(error), hint: null };
  const fix = 'Check the variables that begin with S3_, and the rights in docs/going-to-production.md (8. Images).';
  return problem(`Images cannot be kept in ${place}: ${reason.replace(/\.$/, '')}.`, hint ?? fix);
}

/** Stores, reads and deletes a blob. Deletes it even after an error. */
async function tryOut(storage: BlobStorage, look = (_key: string) => Promise.resolve()): Promise<void> {
  const key = `${FOLDER}/${randomBytes(8).toString('hex')}`;
  const bytes = randomBytes(16);
  let isDone = false;
  try {
    await storage.put(key, bytes, 'application/octet-stream');
    const read = await storage.get(key);
    if (!read || Buffer.compare(read, bytes) !== 0) throw new Error('what was written there is read as something else');
    await look(key);
    isDone = true;
  } finally {
    // Report the first error, because it says more than a later one.
    await storage.delete(key).catch((error: unknown) => {
      if (isDone) throw error;
    });
  }
}

async function requireListed(storage: S3Storage, key: string): Promise<void> {
  for await (const listed of storage.list(FOLDER)) if (listed.key === key) return;
  throw new Error('what was written there is not in its list');
}
