import { access, chmod, constants, lstat, mkdtemp, readdir, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeEmbeddedPostgres } from '@passwright/embedded-postgres';

/** A file system in memory on Linux, on which creating a database is ten times as fast as on a busy disk. */
const MEMORY = '/dev/shm';
const MEMORY_NEEDED_BYTES = 2e9;
const FOLDER = /^passwright-tests-(\d+)-/;

/**
 * Creates a folder for a database server of this process, in memory if there is room. If root runs the tests, the
 * server runs as another user, who can enter the folder.
 */
export async function newServerFolder(): Promise<string> {
  const parent = (await isRoomy(MEMORY)) ? MEMORY : tmpdir();
  const folder = await mkdtemp(join(parent, `passwright-tests-${process.pid}-`));
  await chmod(folder, 0o755);
  return folder;
}

/** Removes the folders of killed processes. Stops their embedded servers. */
export async function removeServerFolders(): Promise<void> {
  for (const parent of new Set([tmpdir(), MEMORY])) await removeFolders(parent);
}

/**
 * Returns true if a folder in memory has enough room for the server. Returns false in containers, and if `TMPDIR` is
 * set.
 */
async function isRoomy(folder: string): Promise<boolean> {
  if (process.env.TMPDIR) return false;
  try {
    await access(folder, constants.W_OK);
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize >= MEMORY_NEEDED_BYTES;
  } catch {
    return false;
  }
}

async function removeFolders(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const pid = Number(FOLDER.exec(name)?.[1] ?? NaN);
    if (Number.isNaN(pid) || (pid !== process.pid && isAlive(pid))) continue;
    // Ignore links and folders of other users, because any user may write to the parent folder.
    const folder = await lstat(join(parent, name)).catch(() => null);
    if (!folder?.isDirectory() || folder.uid !== (process.getuid?.() ?? folder.uid)) continue;
    await removeEmbeddedPostgres(join(parent, name)).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
