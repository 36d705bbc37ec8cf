import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';

/** The memory that a worker needs while it works. */
const WORKER_BYTES = 512 * 2 ** 20;
/** The fewest connections of a worker, because a transaction must not take the last one. */
export const FEWEST_CONNECTIONS = 2;

/** The part of the machine that this process may use. */
export interface Machine {
  readonly cores: number;
  readonly memoryBytes: number;
}

/**
 * Returns the number of processes that WORKERS selects. `auto` gives each core one, but no more than the memory and
 * the pool of connections have room for.
 */
export function workerCount(wanted: number | 'auto', poolSize: number, machine = thisMachine()): number {
  if (wanted !== 'auto') return wanted;
  const places = [machine.cores, machine.memoryBytes / WORKER_BYTES, poolSize / FEWEST_CONNECTIONS];
  return Math.max(1, Math.floor(Math.min(...places)));
}

/** Reads the limits of the container, too, because Node 20 does not know the limit of CPU time. */
function thisMachine(): Machine {
  return {
    cores: Math.min(availableParallelism(), coresOfContainer(textOf)),
    // Without a limit, this is a number beyond any memory, or 0.
    memoryBytes: Math.min(totalmem(), process.constrainedMemory() || Infinity),
  };
}

/** Returns the cores whose time a container may use: version 2 of cgroups, or version 1. Infinity without a limit. */
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
