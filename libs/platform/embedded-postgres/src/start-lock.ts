import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { EmbeddedPostgresFailed } from './embedded-postgres-failed.js';
import { isRunning, processIdentity, type ProcessIdentity } from './running-process.js';

const TIMEOUT_MS = 90_000;

/**
 * Runs `work` while no other call, in any process, starts or stops the server of `dataDir`. The lock is the file
 * `lock.<n>` with the highest n. Its holder empties it on release. A process takes a free lock by creating `lock.<n +
 * 1>`, which only one process can do. The lock of a killed holder counts as free.
 * @throws EmbeddedPostgresFailed if another holder keeps the lock for over 90 seconds
 */
export async function withStartLock<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const lock = await acquire(dataDir);
  try {
    return await work();
  } finally {
    await truncate(lock).catch(() => undefined);
  }
}

async function acquire(dataDir: string): Promise<string> {
  const claim = join(dataDir, `claim.${process.pid}.${randomUUID()}`);
  await writeFile(claim, JSON.stringify(await processIdentity(process.pid)), { mode: 0o644 });
  try {
    for (const deadline = Date.now() + TIMEOUT_MS; ;) {
      const highest = Math.max(0, ...(await lockNumbers(dataDir)));
      const holder = await holderOf(join(dataDir, `lock.${highest}`));
      if (!holder && (await succeed(dataDir, highest + 1, claim))) return join(dataDir, `lock.${highest + 1}`);
      if (holder && Date.now() > deadline) throw stuck(dataDir, highest, holder);
      await pause(20);
    }
  } finally {
    await rm(claim, { force: true });
  }
}

async function succeed(dataDir: string, number: number, claim: string): Promise<boolean> {
  const lock = join(dataDir, `lock.${number}`);
  try {
    await link(claim, lock);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  const numbers = await lockNumbers(dataDir);
  if (Math.max(...numbers) > number) {
    // Remove the lock, because other processes created a later one while this process was suspended.
    await rm(lock, { force: true });
    return false;
  }
  await Promise.all(numbers.filter((n) => n < number).map((n) => rm(join(dataDir, `lock.${n}`), { force: true })));
  return true;
}

async function lockNumbers(dataDir: string): Promise<number[]> {
  const names = await readdir(dataDir);
  return names.flatMap((name) => /^lock\.(\d+)$/.exec(name)?.[1] ?? []).map(Number);
}

async function holderOf(lock: string): Promise<ProcessIdentity | null> {
  try {
    const text = await readFile(lock, 'utf8');
    if (text === '') return null;
    const holder = JSON.parse(text) as Partial<ProcessIdentity> | null;
    if (typeof holder?.pid !== 'number') throw damaged(lock);
    return (await isRunning(holder as ProcessIdentity)) ? (holder as ProcessIdentity) : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error instanceof SyntaxError ? damaged(lock) : error;
  }
}

function damaged(lock: string): EmbeddedPostgresFailed {
  return new EmbeddedPostgresFailed(
    `The lock ${lock} is damaged. If no Passwright runs on this data folder, delete that file and start again.`,
  );
}

function stuck(dataDir: string, number: number, holder: ProcessIdentity): EmbeddedPostgresFailed {
  return new EmbeddedPostgresFailed(
    `Process ${holder.pid} has been starting or stopping the embedded Postgres in ${dataDir} for too long. ` +
      `End that process; if it has nothing to do with Passwright, delete ${join(dataDir, `lock.${number}`)}.`,
  );
}
