import { availableParallelism } from 'node:os';

/** Threads of the pool that signs, hashes passwords, draws images and reads files, unless UV_THREADPOOL_SIZE is set. */
export const THREADS = Math.max(4, 2 * availableParallelism());
