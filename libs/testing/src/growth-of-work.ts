import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/**
 * The highest accepted factor for an input four times as large. Linear work grows by 4, sorting by less than 5, and
 * quadratic work by 16.
 */
export const LINEAR_GROWTH = 6;

/**
 * A case to measure: its name, a function that builds an input of `size` characters, items or levels, and a function
 * that reads the input and may throw.
 */
export type WorkCase = readonly [name: string, inputOf: (size: number) => unknown, work: (input: never) => unknown];

/**
 * Measures the factor by which the work of each case grows when its input is four times as large. Counts executed
 * blocks of JavaScript (V8's precise coverage) and the items that native methods read, so the result is the same on
 * every machine. Does not count spreads, or steps inside a regular expression; a lint rule checks regular expressions.
 * @param file a TypeScript file that exports `cases`; it is loaded in a separate thread
 * @returns the factors by the names of the cases
 */
export async function growthsOf(file: string): Promise<ReadonlyMap<string, number>> {
  const worker = new Worker(join(__dirname, '../jest/counting-worker.cjs'), { workerData: file });
  const [growths] = (await once(worker, 'message')) as [(readonly [string, number])[]];
  await worker.terminate();
  return new Map(growths);
}
