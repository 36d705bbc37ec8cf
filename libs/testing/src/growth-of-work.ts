import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** The highest factor for a fourfold input. Linear work grows by 4, sorting by less than 5, quadratic work by 16. */
export const LINEAR_GROWTH = 6;

/**
 * A case to measure: its name, a function that builds an input of `size` characters, items or levels, and a function
 * that reads the input. Reading may throw.
 */
export type WorkCase = readonly [name: string, inputOf: (size: number) => unknown, work: (input: never) => unknown];

/**
 * Measures by which factor the work of each case grows for an input four times as large. Counts executed blocks of
 * JavaScript (V8's precise coverage) and the items that native methods read. It does not measure time, so the result is
 * the same on every machine. Does not count spreads or the steps inside a regular expression, which a lint rule checks.
 * @param file a TypeScript file that exports `cases`, loaded in a separate thread
 * @returns the factor of each case, by its name
 */
export async function growthsOf(file: string): Promise<ReadonlyMap<string, number>> {
  const worker = new Worker(join(__dirname, '../jest/counting-worker.cjs'), { workerData: file });
  const [growths] = (await once(worker, 'message')) as [(readonly [string, number])[]];
  await worker.terminate();
  return new Map(growths);
}
