import { availableParallelism } from 'node:os';

/** The number of threads that sign, hash passwords, draw images and read files, unless UV_THREADPOOL_SIZE is set. */
export const THREADS = Math.max(4, 2 * availableParallelism());
