import { basename, dirname, extname, join } from 'node:path';
import { WrongUsage } from '../failures.js';
import type { TableFile } from './table-file.js';

/** What an import writes. */
export interface ImportFiles {
  readonly results: string;
  readonly state: string;
  /** As version 0.1 named them, which could not tell `people.csv` from `people.tsv`. */
  readonly older: {
    readonly results: string;
    readonly state: string;
    /** They are those of this table, however it was changed, rather than of another one that shares its bare name. */
    readonly own: boolean;
  };
}

/** Of files that hold tables: any other ending, as that of `members.2026`, is part of the name. */
const tableEndings = ['.csv', '.tsv', '.tab', '.txt', '.ndjson', '.jsonl', '.json'];

/**
 * Names of their own for every table: `people.csv` has `people.results.csv` and `people.csv.import.json`, `people.tsv` has
 * `people.tsv.results.csv` and `people.tsv.import.json`, `people` has `people-results.csv` and `people-import.json`.
 * @param results where the user wants them instead; the state is then beside them
 */
export function importFiles({ path, format }: Pick<TableFile, 'path' | 'format'>, results?: string): ImportFiles {
  if (results === path) throw new WrongUsage('--results must not be the table itself.');
  const bare = withoutEnding(results ?? path);
  const own = results !== undefined || extname(path).toLowerCase() === `.${format}`;
  const older = { results: results ?? `${bare}.results.${format}`, state: `${bare}.import.json`, own };
  if (results) return { results, state: `${results}.import.json`, older };
  // With a dot it would be what `people.csv` has, or had.
  if (!isTableName(path)) return { results: `${path}-results.${format}`, state: `${path}-import.json`, older };
  // `people.tsv.csv` keeps all of its name: without its ending it would be `people.tsv`.
  const name = extname(path) === `.${format}` && !isTableName(bare) ? bare : path;
  return { results: `${name}.results.${format}`, state: `${path}.import.json`, older };
}

const withoutEnding = (path: string): string => join(dirname(path), basename(path, extname(path)));

const isTableName = (path: string): boolean => tableEndings.includes(extname(path).toLowerCase());
