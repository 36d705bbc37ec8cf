import { fsync } from 'node:fs';
import { promisify } from 'node:util';

/** Flushes a file or a folder to disk. Used because Yarn's Plug'n'Play has no `FileHandle.sync`. */
export const flush: (descriptor: number) => Promise<void> = promisify(fsync);
