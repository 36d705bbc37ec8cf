import { basename, dirname, extname, join } from 'node:path';
import { WrongUsage } from '../../failures.js';
import type { TableFile } from '../rows/table-file.js';

/** The files that an import writes. */
export interface ImportFiles {
  readonly results: string;
  readonly state: string;
  /** The file names of version 0.1, which were the same for `people.csv` and `people.tsv`. */
  readonly older: {
    readonly results: string;
    readonly state: string;
    /** True if existing files with these names are considered to belong to this table. */
    readonly own: boolean;
  };
}

/** The file extensions of tables. Any other ending, as in `members.2026`, is part of the name. */
const tableEndings = ['.csv', '.tsv', '.tab', '.txt', '.ndjson', '.jsonl', '.json'];

/**
 * Returns file names that are distinct for every table: `people.results.csv` and `people.csv.import.json` for
 * `people.csv`; `people.tsv.results.csv` and `people.tsv.import.json` for `people.tsv`; `people-results.csv` and
 * `people-import.json` for `people`.
 * @param results the user's path for the results; the state is stored in the same folder
 */
export function importFiles({ path, format }: Pick<TableFile, 'path' | 'format'>, results?: string): ImportFiles {
  if (results === path) throw new WrongUsage('--results must not be the table itself.');
  const bare = withoutEnding(results ?? path);
  const own = results !== undefined || extname(path).toLowerCase() === `.${format}`;
  const older = { results: results ?? `${bare}.results.${format}`, state: `${bare}.import.json`, own };
  if (results) return { results, state: `${results}.import.json`, older };
  // Use a hyphen, because `people.results.csv` is already the result file of `people.csv`.
  if (!isTableName(path)) return { results: `${path}-results.${format}`, state: `${path}-import.json`, older };
  // Keep the whole name of `people.tsv.csv`, because a table `people.tsv` may exist too.
  const name = extname(path) === `.${format}` && !isTableName(bare) ? bare : path;
  return { results: `${name}.results.${format}`, state: `${path}.import.json`, older };
}

const withoutEnding = (path: string): string => join(dirname(path), basename(path, extname(path)));

const isTableName = (path: string): boolean => tableEndings.includes(extname(path).toLowerCase());
