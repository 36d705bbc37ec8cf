import { basename, dirname, extname, join } from 'node:path';
import { WrongUsage } from '../failures.js';
import type { TableFile } from './table-file.js';

/** What an import writes. */
export interface ImportFiles {
  readonly results: string;
  readonly state: string;
  /** As version 0.1 named them, which could not tell `people.csv` from `people.ndjson`. */
  readonly older: { readonly results: string; readonly state: string };
}

/**
 * Names of their own for every table: `people.csv` has `people.results.csv` and `people.csv.import.json`, `people.tsv` has
 * `people.tsv.results.csv`.
 * @param results where the user wants them instead; the state is then beside them
 */
export function importFiles({ path, format }: Pick<TableFile, 'path' | 'format'>, results?: string): ImportFiles {
  if (results === path) throw new WrongUsage('--results must not be the table itself.');
  const bare = withoutEnding(results ?? path);
  const older = { results: results ?? `${bare}.results.${format}`, state: `${bare}.import.json` };
  if (results) return { results, state: `${results}.import.json`, older };
  const name = extname(path) === `.${format}` ? bare : path;
  return { results: `${name}.results.${format}`, state: `${path}.import.json`, older };
}

const withoutEnding = (path: string): string => join(dirname(path), basename(path, extname(path)));
