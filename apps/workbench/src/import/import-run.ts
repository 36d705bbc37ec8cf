import type { ColumnMapping } from '@passwright/client';
import { messageOf } from '../ui/errors.js';
import { type Row, rowsOf, type TableFile } from '../model/table/table-file.js';
import type { Imported, ImportKind } from './import-kind.js';
import { ResultRows } from './result-rows.js';

/** The numbers of rows by their result. */
export interface Counts {
  readonly rows: number;
  readonly created: number;
  readonly existing: number;
  readonly rejected: number;
}

/** A row that was not imported. */
export interface RejectedRow {
  readonly number: number;
  readonly reason: string;
}

/** The import of one file. It continues after the last row with a result if it is sent again. */
export class ImportRun<Line> {
  /** The rows that wait for a result, in order. */
  private waiting: Row[] = [];
  counts: Counts = { rows: 0, created: 0, existing: 0, rejected: 0 };
  readonly rejected: RejectedRow[] = [];
  readonly all: ResultRows;
  readonly wrong: ResultRows;

  constructor(
    private readonly kind: ImportKind<Line>,
    private readonly table: TableFile,
    private readonly mapping: ColumnMapping | null,
  ) {
    this.all = new ResultRows(table, [...kind.results, 'error']);
    this.wrong = new ResultRows(table, ['error']);
  }

  get isDone(): boolean {
    return this.counts.rows === this.table.rows;
  }

  /**
   * Sends the rows that have no result yet.
   * @throws PasswrightError, or the reason of the signal
   */
  async send(signal: AbortSignal): Promise<void> {
    this.waiting = [];
    for await (const line of this.kind.send(this.lines(signal), signal)) {
      this.takeUnreadable();
      this.take(this.waiting.shift(), line.error ? messageOf(line.error) : line);
    }
    this.takeUnreadable();
  }

  /** Finds the rows that the service would reject, without a request. */
  async check(signal: AbortSignal): Promise<void> {
    for await (const row of rowsOf(this.table)) {
      signal.throwIfAborted();
      const problems = row.problem ? [row.problem] : (this.kind.problems?.(this.kind.lineOf(this.mapping, row)) ?? []);
      this.take(row, problems.length > 0 ? problems.join('; ') : { results: {} });
    }
  }

  private async *lines(signal: AbortSignal): AsyncGenerator<Line> {
    const done = this.counts.rows;
    for await (const row of rowsOf(this.table)) {
      signal.throwIfAborted();
      if (row.number <= done) continue;
      this.waiting.push(row);
      if (row.problem === undefined) yield this.kind.lineOf(this.mapping, row);
    }
  }

  /** Counts the unreadable rows that precede the next sent row. */
  private takeUnreadable(): void {
    for (let problem = this.waiting[0]?.problem; problem !== undefined; problem = this.waiting[0]?.problem) {
      this.take(this.waiting.shift(), problem);
    }
  }

  private take(row: Row | undefined, result: string | Imported): void {
    if (!row) throw new Error('The service returned more results than rows.');
    const { rows, created, existing, rejected } = this.counts;
    const isRejected = typeof result === 'string';
    const isExisting = !isRejected && result.existing === true;
    this.counts = {
      rows: rows + 1,
      created: created + (isRejected || isExisting ? 0 : 1),
      existing: existing + (isExisting ? 1 : 0),
      rejected: rejected + (isRejected ? 1 : 0),
    };
    this.all.add(row, isRejected ? { error: result } : result.results);
    if (!isRejected) return;
    this.rejected.push({ number: row.number, reason: result });
    this.wrong.add(row, { error: result });
  }
}
