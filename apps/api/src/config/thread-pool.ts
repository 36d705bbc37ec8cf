import { usableCores } from './worker-count.js';

/**
 * Returns how many threads of a process sign, hash passwords, draw images and read files, unless UV_THREADPOOL_SIZE is
 * set. The processes of a node share the cores.
 */
export function threadsPerProcess(processes: number, cores = usableCores()): number {
  return Math.max(4, Math.ceil((2 * cores) / processes));
}
