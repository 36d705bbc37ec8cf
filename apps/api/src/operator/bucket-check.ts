import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { imageKey } from '@passwright/images';
import type { S3Storage } from '@passwright/storage';
import { OperatorFailed } from './operator-session.js';
import { IMAGES, nullWhenGone } from './storage-copy.js';

/** The folder that every node writes to while it runs. */
const OF_NODES = 'incarnation';

/** Lists the images of the bucket that the folder lacks, such as those erased since an earlier copy. */
export async function otherImages(from: string, storage: S3Storage): Promise<string[]> {
  const others: string[] = [];
  for await (const { key } of storage.list(IMAGES)) {
    const [, account = '', file = '', ...more] = key.split('/');
    if (more.length > 0 || imageKey(account, file) === null) continue;
    const path = join(from, key);
    if ((await nullWhenGone(path, lstat(path))) === null) others.push(key);
  }
  return others;
}

/** @throws OperatorFailed if nodes have used the bucket, which may then have images that the folder lacks */
export async function requireUnusedBucket(storage: S3Storage): Promise<void> {
  const { done } = await storage.list(OF_NODES).next();
  if (done) return;
  throw new OperatorFailed(
    'Nodes have used this bucket, so it may hold images that the folder never had: nothing was copied or deleted. ' +
      'Leave out --delete-others.',
  );
}
