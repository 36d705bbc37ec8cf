import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** How much more work than this a fourfold input may make: linear work grows 4 times, sorting under 5, quadratic 16. */
export const LINEAR_GROWTH = 6;

/**
 * Something that reads input: its name, what builds an input of so many characters, items or levels, and what reads it.
 * Reading may throw.
 */
export type WorkCase = readonly [name: string, inputOf: (size: number) => unknown, work: (input: never) => unknown];

/**
 * Counts how many times as much work each case makes for an input four times as large. Counts no time, so the result is the
 * same on every machine: the executed blocks of all JavaScript (V8's precise coverage), and what native methods look through.
 * Spreads and the steps inside a regular expression are not counted; a lint rule judges the latter.
 * @param file of TypeScript, that exports `cases`. They are loaded in a thread of their own.
 * @returns the growths by the name of the case
 */
export async function growthsOf(file: string): Promise<ReadonlyMap<string, number>> {
  const worker = new Worker(join(__dirname, '../jest/counting-worker.cjs'), { workerData: file });
  const [growths] = (await once(worker, 'message')) as [(readonly [string, number])[]];
  await worker.terminate();
  return new Map(growths);
}
