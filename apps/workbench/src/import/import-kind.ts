import type { BatchLine, ColumnMapping } from '@passwright/client';
import type { Row } from '../model/table/table-file.js';

/** A part that a column may fill, and its name for people. */
export type Part = readonly [part: string, label: string];

/** The result of a line. */
export interface Imported {
  readonly existing?: true;
  /** The texts of the line in the results file, by column. */
  readonly results: Readonly<Record<string, string>>;
}

/** Passes or members: how the rows of one file become lines of requests. */
export interface ImportKind<Line = unknown> {
  readonly one: string;
  readonly many: string;
  /** The columns that the results file adds, such as the links of a pass. */
  readonly results: readonly string[];
  /** Returns the parts that a column may fill, such as `metadata.<column>`. */
  readonly parts: (column: string) => readonly Part[];
  readonly match: (columns: readonly string[]) => ColumnMapping;
  /** The parts without which the service would reject every row. */
  readonly required: readonly Part[];
  /**
   * Returns the line of a row: the same line each time, because the row may be sent again.
   * @param mapping null if the rows are lines already
   */
  readonly lineOf: (mapping: ColumnMapping | null, row: Row) => Line;
  /** Finds problems of a line without a request to the service; null if only the service can find them. */
  readonly problems: ((line: Line) => readonly string[]) | null;
  readonly send: (lines: Sent<Line>, signal: AbortSignal) => AsyncIterable<BatchLine<Imported>>;
  /** A line that the service always rejects. It shows whether the caller may import. */
  readonly invalid: Line;
}

export type Sent<Line> = AsyncIterable<Line> | Iterable<Line>;
