import { Failure, Interrupted } from '../../failures.js';
import { counted } from '../../number-format.js';
import { isRejected } from '../../service-errors.js';
import { type ImportProgress, type ImportState, saveState } from './import-state.js';
import type { ResultFile } from './result-file.js';
import type { Prepared, RowSender, SentRow } from './row-sender.js';
import type { Row } from '../rows/table-file.js';

/** The files, functions and limits of an import. */
export interface ImportParts {
  readonly statePath: string;
  readonly results: ResultFile;
  readonly sender: Pick<RowSender, 'send'>;
  readonly prepare: (row: Row) => Prepared;
  /**
   * Called after each response.
   * @param endByte the position in the table up to which rows have a result
   */
  readonly progress: (progress: ImportProgress, endByte: number) => void;
  readonly signal: AbortSignal;
  readonly maxErrors: number;
}

/** The number of rows per request. */
const TOGETHER = 1000;
/** The number of simultaneous requests. The import reads the next rows while the service processes earlier ones. */
const REQUESTS_AT_ONCE = 3;
/** The number of rows that are sent before the import waits for a response. */
export const ROWS_AT_ONCE = TOGETHER * REQUESTS_AT_ONCE;
const SAVE_EVERY_MS = 1000;
const FIRST_REPORTED = 5;
/** If this many rows fail before one succeeds, the mapping is probably wrong. */
const HOPELESS = 200;

/** Sends the rows of a table to the service, beginning after the last recorded row, and records the progress. */
export class ImportRun {
  private savedAt = performance.now();
  /** True while the result of a sent row is unknown. */
  private unseen = false;

  constructor(
    private state: ImportState,
    private readonly parts: ImportParts,
  ) {}

  /**
   * Runs the import.
   * @throws Failure that says at which row it stopped. A later run continues at this row
   */
  async run(rows: AsyncIterable<Row>): Promise<ImportProgress> {
    const sent: Promise<SentRow[]>[] = [];
    // Record that rows are being sent. If the run is killed now, the service may have created more passes than are
    // counted.
    await this.save({ ...this.state.progress, open: true });
    try {
      for await (const some of chunks(rows, this.state.progress.rows)) {
        if (this.parts.signal.aborted) throw this.interrupted();
        const responded = this.parts.sender.send(some.map(this.parts.prepare));
        // Prevent an unhandled rejection. `take` reports the first error.
        responded.catch(() => undefined);
        sent.push(responded);
        if (sent.length >= REQUESTS_AT_ONCE) await this.take(sent.shift());
      }
      while (sent.length > 0) await this.take(sent.shift());
      await this.save({ ...this.state.progress, done: true, open: false });
      return this.state.progress;
    } catch (error) {
      // Count the results of the other requests, so that the next run need not repeat them.
      while (sent.length > 0 && !this.unseen) await this.counted(sent.shift()).catch(() => undefined);
      await this.save({ ...this.state.progress, open: this.unseen });
      throw this.parts.signal.aborted ? this.interrupted() : this.stopped(error);
    }
  }

  private async take(responded: Promise<SentRow[]> | undefined): Promise<void> {
    const rejected = await this.counted(responded);
    if (performance.now() - this.savedAt > SAVE_EVERY_MS) await this.save(this.state.progress);
    if (rejected) throw this.limitReached(rejected);
    this.requireHope();
  }

  /**
   * Counts results.
   * @returns the first row that exceeded a limit, if any. The next run continues at this row
   */
  private async counted(responded: Promise<SentRow[]> | undefined): Promise<SentRow | undefined> {
    this.unseen = true;
    const all = (await responded) ?? [];
    const rejected = all.findIndex(({ code }) => code === 'limit_exceeded');
    const some = rejected < 0 ? all : all.slice(0, rejected);
    await this.parts.results.append(some);
    this.state = { ...this.state, progress: this.after(some) };
    this.parts.progress(this.state.progress, all.at(-1)?.row.endByte ?? 0);
    this.unseen = rejected >= 0;
    return all[rejected];
  }

  private after(some: readonly SentRow[]): ImportProgress {
    const before = this.state.progress;
    const bad = some.filter(({ code }) => code !== undefined);
    const existing = some.filter((sent) => sent.existing).length;
    const failures = { ...before.failures };
    for (const { row, code = '', error = '' } of bad) {
      const { count, first } = failures[code] ?? { count: 0, first: [] };
      const reported = { row: row.number, message: error.slice(code.length + 2) };
      failures[code] = { count: count + 1, first: first.length < FIRST_REPORTED ? [...first, reported] : first };
    }
    return {
      rows: before.rows + some.length,
      resultBytes: this.parts.results.bytes,
      created: before.created + some.length - bad.length - existing,
      existing: before.existing + existing,
      failed: before.failed + bad.length,
      failures,
      done: false,
      open: true,
    };
  }

  private requireHope(): void {
    const { failed, rows } = this.state.progress;
    if (failed > this.parts.maxErrors) {
      throw new Failure(
        `More than ${counted(this.parts.maxErrors, 'row')} failed (--max-errors).`,
        goOn,
        'too_many_errors',
      );
    }
    if (rows === failed && failed >= HOPELESS) {
      throw new Failure(
        `The first ${failed} rows have all failed: ${firstOf(this.state.progress)}.`,
        'Check the mapping with --dry-run.',
        'too_many_errors',
      );
    }
  }

  private async save(progress: ImportProgress): Promise<void> {
    // Write the results first, because the state refers to them.
    await this.parts.results.flush();
    this.state = { ...this.state, progress };
    await saveState(this.parts.statePath, this.state);
    this.savedAt = performance.now();
  }

  private interrupted(): Interrupted {
    return new Interrupted(`Stopped after row ${this.state.progress.rows}. Run the same command again to continue.`);
  }

  private stopped(error: unknown): unknown {
    if (!isRejected(error)) return error;
    const { rows } = this.state.progress;
    return new Failure(`${error.message} (after row ${rows}, ${error.code})`, goOn, error.code);
  }

  private limitReached({ error, row }: SentRow): Failure {
    const why = error?.replace('limit_exceeded: ', '') ?? 'The limit is reached.';
    return new Failure(
      `${why} (at row ${row.number})`,
      `Ask the operator to raise the limit. ${goOn}`,
      'limit_exceeded',
    );
  }
}

const goOn = 'Nothing is lost: run the same command again to continue from there.';

function firstOf({ failures }: ImportProgress): string {
  return Object.values(failures)[0]?.first[0]?.message ?? '';
}

async function* chunks(rows: AsyncIterable<Row>, skipped: number): AsyncGenerator<Row[]> {
  let some: Row[] = [];
  for await (const row of rows) {
    if (row.number <= skipped) continue;
    some.push(row);
    if (some.length < TOGETHER) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}
