import { usableCores } from './worker-count.js';

/**
 * Returns the number of threads with which a process signs, hashes passwords, draws images and reads files.
 * UV_THREADPOOL_SIZE overrides it.
 */
export function threadsPerProcess(processes: number, cores = usableCores()): number {
  return Math.max(4, Math.ceil((2 * cores) / processes));
}
