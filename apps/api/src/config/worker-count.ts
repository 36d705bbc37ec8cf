import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import type { Values } from './variables/variables.js';

/** The memory that a worker needs while it works. */
const WORKER_BYTES = 768 * 2 ** 20;
/** The minimum number of connections of a worker. With only one, a transaction would block all other queries. */
export const FEWEST_CONNECTIONS = 2;
/**
 * The maximum number of workers that run jobs, because each uses 16 connections for jobs, and Postgres allows 100 by
 * default.
 */
const MOST_WITH_JOBS = 4;

/** The part of the machine that this process may use. */
interface Machine {
  readonly cores: number;
  readonly memoryBytes: number;
}

/**
 * Returns the number of processes that WORKERS selects. `auto` selects one process per core, or fewer if memory or
 * connections are short.
 */
export function workerCount(
  { WORKERS, DATABASE_POOL_SIZE, ROLE }: Pick<Values, 'WORKERS' | 'DATABASE_POOL_SIZE' | 'ROLE'>,
  { cores, memoryBytes }: Machine = thisMachine(),
): number {
  if (WORKERS !== 'auto') return WORKERS;
  const most = [cores, memoryBytes / WORKER_BYTES, DATABASE_POOL_SIZE / FEWEST_CONNECTIONS];
  if (ROLE !== 'api') most.push(MOST_WITH_JOBS);
  return Math.max(1, Math.floor(Math.min(...most)));
}

/** Divides a limit of the node among its workers, rounded up. 0, which means no limit, stays 0. */
export function shareOf(limit: number, workers: number): number {
  return Math.ceil(limit / workers);
}

/** Returns the cores that this process may use, because Node 20 ignores the container's limit of CPU time. */
export function usableCores(): number {
  return Math.min(availableParallelism(), coresOfContainer(textOf));
}

function thisMachine(): Machine {
  return {
    cores: usableCores(),
    // Without a limit, Node returns 0 or a number larger than any memory.
    memoryBytes: Math.min(totalmem(), process.constrainedMemory() || Infinity),
  };
}

/** Returns how many cores a container may use, by version 2 or 1 of cgroups; Infinity without a limit. */
export function coresOfContainer(read: (path: string) => string | null): number {
  const unified = read('/sys/fs/cgroup/cpu.max')?.trim().split(' ');
  const [quota, period] = unified ?? [
    read('/sys/fs/cgroup/cpu/cpu.cfs_quota_us'),
    read('/sys/fs/cgroup/cpu/cpu.cfs_period_us'),
  ];
  const cores = Number(quota) / Number(period);
  return quota && period && cores > 0 ? Math.max(1, cores) : Infinity;
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
