import { randomBytes } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '../../failures.js';

/** The process that writes a result file. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  /** A random value for each lock, because in a container a new process may have the pid of a killed one. */
  readonly token: string;
}

/** An empty lock file of this age, in milliseconds, belongs to a killed import. */
const WRITTEN_WITHIN_MS = 10_000;
const MOST_TRIES = 50;

/** The tokens of the locks that this process holds or waits for. */
const held = new Set<string>();

/**
 * Locks the result file and runs `work`, because two simultaneous imports would corrupt the file. The lock is a file
 * beside the result file. Replaces the lock of a dead process.
 * @throws Failure `import_running` if another import is writing the file
 */
export async function withImportLock<T>(results: string, work: () => Promise<T>): Promise<T> {
  const path = `${results}.lock`;
  const token = randomBytes(8).toString('hex');
  held.add(token);
  try {
    await take(path, { pid: process.pid, host: hostname(), token });
    return await work().finally(() => rm(path, { force: true }));
  } finally {
    held.delete(token);
  }
}

async function take(path: string, own: Holder): Promise<void> {
  let holder: Holder | null = null;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    if (await made(path, own)) return;
    const text = await readFile(path, 'utf8').catch(() => null);
    holder = text === null ? null : holderOf(text);
    if (text === null) continue;
    if (holder ? isThere(holder) : await isFresh(path)) break;
    await clear(path, text, holder);
  }
  throw new Failure(
    `${holder ? `Process ${holder.pid} on ${holder.host}` : 'Another import'} is writing ${basename(path, '.lock')}.`,
    `Wait until it is done. If it no longer runs, delete ${path} and try again.`,
    'import_running',
  );
}

/** Creates the lock file. @returns false if it already exists */
async function made(path: string, own: Holder): Promise<boolean> {
  try {
    await writeFile(path, JSON.stringify(own), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    const { code = 'error' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    throw new Failure(`${path} cannot be written (${code}).`, 'Its folder must be writable.', 'file_unwritable');
  }
}

/**
 * Removes the lock of a dead process. A marker file, named after this lock, prevents other processes from removing the
 * next lock.
 */
async function clear(path: string, dead: string, holder: Holder | null): Promise<void> {
  const mark = `${path}.${holder?.token ?? 'unreadable'}`;
  try {
    await writeFile(mark, '', { flag: 'wx', mode: 0o600 });
  } catch {
    if (await isFresh(mark)) await pause(20);
    else await rm(mark, { force: true });
    return;
  }
  try {
    const isStill = (await readFile(path, 'utf8').catch(() => null)) === dead;
    if (isStill && (holder || !(await isFresh(path)))) await rm(path, { force: true });
  } finally {
    await rm(mark, { force: true });
  }
}

function holderOf(text: string): Holder | null {
  try {
    const { pid, host, token } = JSON.parse(text) as Holder;
    return Number.isInteger(pid) && typeof host === 'string' && /^[0-9a-z]+$/.test(token) ? { pid, host, token } : null;
  } catch {
    return null;
  }
}

/** Returns true while the process that holds the lock runs. A process on another machine counts as running. */
function isThere({ pid, host, token }: Holder): boolean {
  if (host !== hostname()) return true;
  if (pid === process.pid) return held.has(token);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function isFresh(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs < WRITTEN_WITHIN_MS;
}
