import { randomBytes } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { LocalStorage } from '@passwright/storage';
import { type Finding, type Installation, ok, problem, reasonOf, warning } from './finding.js';

const MIB = 2 ** 20;
const LEAST_FREE = 100 * MIB;
const LITTLE_FREE = 1024 * MIB;

/** Checks that the image storage is writable, readable and has free space. */
export async function storageCheck({ config }: Installation): Promise<Finding[]> {
  const { dir } = config.storage.store;
  const storage = new LocalStorage(dir);
  const key = `doctor/${randomBytes(8).toString('hex')}`;
  const bytes = randomBytes(16);
  try {
    await storage.put(key, bytes, 'application/octet-stream');
    const read = await storage.get(key);
    await storage.delete(key);
    if (!read || Buffer.compare(read, bytes) !== 0) throw new Error('what was written there is read as something else');
  } catch (error) {
    return [
      problem(
        `Images cannot be kept in ${dir}: ${reasonOf(error)}.`,
        'Let the user that runs the service write there, and give it room.',
      ),
    ];
  }
  const { bavail, bsize } = await statfs(dir);
  const free = bavail * bsize;
  const found = `Images are kept in ${dir}, ${Math.round(free / MIB)} MiB free.`;
  const fix = 'Make room, or move DATA_DIR to a larger disk.';
  if (free < LEAST_FREE) return [problem(found, fix)];
  return [free < LITTLE_FREE ? warning(found, fix) : ok(found)];
}
