import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A pid and the start time of its process. Together they distinguish it from a later process with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The start time in the system's notation; null if it is unavailable. */
  readonly started: string | null;
}

export async function processIdentity(pid: number): Promise<ProcessIdentity> {
  return { pid, started: await startOf(pid) };
}

/** Returns true if the process still runs; false if it has ended, even if another process has its pid now. */
export async function isRunning({ pid, started }: ProcessIdentity): Promise<boolean> {
  return isAlive(pid) && (started === null || started === (await startOf(pid)));
}

/** Returns true if any process has this pid, which may have been reused. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Returns true if the command line of the process shows a Postgres server on `clusterDir`. */
export async function isPostgresOn(clusterDir: string, pid: number): Promise<boolean> {
  if (!isAlive(pid)) return false;
  const commandLine = await commandLineOf(pid);
  // Windows does not provide the command line, so only the pid is checked there.
  return commandLine === null || (commandLine.includes('postgres') && commandLine.includes(clusterDir));
}

async function commandLineOf(pid: number): Promise<string | null> {
  if (process.platform === 'win32') return null;
  try {
    if (process.platform === 'linux') return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
    return (await promisify(execFile)('ps', ['-ww', '-o', 'args=', '-p', String(pid)])).stdout;
  } catch {
    return '';
  }
}

async function startOf(pid: number): Promise<string | null> {
  if (process.platform !== 'linux') return null;
  try {
    // Return field 22 of proc_pid_stat(5). Count from the end of field 2, because that name may contain spaces.
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
