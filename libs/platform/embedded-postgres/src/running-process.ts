import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A process id that is not mistaken for a later process that was given the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When the system started it, in the system's own notation; null where that can't be had. */
  readonly started: string | null;
}

export async function processIdentity(pid: number): Promise<ProcessIdentity> {
  return { pid, started: await startOf(pid) };
}

/** False for the dead, and for another process that has taken over the number. */
export async function isRunning({ pid, started }: ProcessIdentity): Promise<boolean> {
  return isAlive(pid) && (started === null || started === (await startOf(pid)));
}

/** Whether the number belongs to any process; alone it says little, since numbers are used again. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether the process is a Postgres server on `clusterDir`, judged by its command line. */
export async function isPostgresOn(clusterDir: string, pid: number): Promise<boolean> {
  if (!isAlive(pid)) return false;
  const commandLine = await commandLineOf(pid);
  // Windows gives no command line without help; there the number has to do.
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
    // Field 22 of proc_pid_stat(5). The second field, a name in brackets, may hold spaces: count from its end.
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
