import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Row, rowsOf, type TableFile, tableFile } from './table-file.js';

/** A folder that exists only during a test, with tables in it. */
export interface TemporaryTables {
  /** Returns the path of a file in the folder. */
  pathOf(name: string): string;
  /** Writes a table, and reads its columns. */
  table(text: string | Buffer, name?: string): Promise<TableFile>;
}

/** Creates an empty folder before each test of a spec file, and removes it after the test. */
export function temporaryTables(): TemporaryTables {
  let dir: string;
  beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'passwright import '))));
  afterEach(() => rmSync(dir, { recursive: true }));
  const pathOf = (name: string) => join(dir, name);
  const table = (text: string | Buffer, name = 'people.csv') => {
    writeFileSync(pathOf(name), text);
    return tableFile(pathOf(name));
  };
  return { pathOf, table };
}

export async function allRows(file: TableFile): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of rowsOf(file)) rows.push(row);
  return rows;
}
