import { open, type FileHandle } from 'node:fs/promises';
import { cellText, csvLine } from '@passwright/client';
import { flush } from './flush.js';
import type { Row, TableFile } from '../rows/table-file.js';

const added = ['id', 'walletAUrl', 'walletBUrl', 'webUrl', 'error'] as const;

/** A row and the pass that was created for it, or the error. */
export interface RowResult {
  readonly row: Row;
  readonly id?: string;
  readonly walletAUrl?: string;
  readonly walletBUrl?: string;
  readonly webUrl?: string;
  /** The error in the form `code: message`. */
  readonly error?: string;
}

/** A copy of the table with additional columns for the pass of each row. */
export class ResultFile {
  private constructor(
    private readonly file: FileHandle,
    private readonly table: TableFile,
    /** The number of bytes up to the last counted row. */
    private length: number,
  ) {}

  /**
   * Opens a file and truncates it to `keepBytes`, which also removes an incomplete last line.
   * @param keepBytes the byte position after the last counted row
   * @returns null if counted rows are missing
   */
  static async open(path: string, table: TableFile, keepBytes: number): Promise<ResultFile | null> {
    const file = await open(path, keepBytes === 0 ? 'w' : 'r+', 0o600).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (!file) return null;
    const { size } = await file.stat();
    if (size < keepBytes) {
      await file.close();
      return null;
    }
    await file.truncate(keepBytes);
    const results = new ResultFile(file, table, keepBytes);
    if (keepBytes === 0 && table.columns)
      await results.write(`${csvLine([...table.columns, ...results.addedColumns()])}`);
    return results;
  }

  get bytes(): number {
    return this.length;
  }

  async append(results: readonly RowResult[]): Promise<void> {
    await this.write(results.map((result) => this.textOf(result)).join(''));
  }

  /** Flushes appended rows to disk, so that they survive a power failure. */
  async flush(): Promise<void> {
    await flush(this.file.fd);
  }

  async close(): Promise<void> {
    await this.file.close();
  }

  private async write(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    let written = 0;
    while (written < bytes.length) {
      written += (await this.file.write(bytes, written, bytes.length - written, this.length + written)).bytesWritten;
    }
    this.length += bytes.length;
  }

  private textOf({ row, ...outcome }: RowResult): string {
    const { columns } = this.table;
    // Copy only these properties, because others would overwrite values of the row.
    if (!columns) return `${JSON.stringify({ ...row.cells, ...picked(outcome) })}\n`;
    const own = columns.map((column) => cellText(row.cells[column]));
    return csvLine([...own, ...added.map((name) => outcome[name] ?? '')]);
  }

  /** Returns the names of the columns to add. A name that the table already uses gets the prefix `pass `. */
  private addedColumns(): string[] {
    return added.map((name) => (this.table.columns?.includes(name) ? `pass ${name}` : name));
  }
}

function picked(outcome: Omit<RowResult, 'row'>): Record<string, string> {
  return Object.fromEntries(added.flatMap((name) => (outcome[name] === undefined ? [] : [[name, outcome[name]]])));
}
