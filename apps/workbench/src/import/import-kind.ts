import type { BatchLine, ColumnMapping } from '@passwright/client';
import type { Row } from '../model/table/table-file.js';

/** A part that a column may fill, and its label. */
export type Part = readonly [part: string, label: string];

/** The result of a line. */
export interface Imported {
  readonly existing?: true;
  /** The texts of the line in the results file, by column. */
  readonly results: Readonly<Record<string, string>>;
}

/** Passes or members: converts the rows of a file to lines of requests. */
export interface ImportKind<Line = unknown> {
  readonly one: string;
  readonly many: string;
  /** The columns that the results file adds, such as the links of a pass. */
  readonly results: readonly string[];
  /** Returns the parts that a column may fill, such as `metadata.<column>`. */
  readonly parts: (column: string) => readonly Part[];
  readonly match: (columns: readonly string[]) => ColumnMapping;
  /** The parts that every row needs. */
  readonly required: readonly Part[];
  /**
   * Returns the line of a row, which is always the same, because the row may be sent again.
   * @param mapping null if the rows are already lines
   */
  readonly lineOf: (mapping: ColumnMapping | null, row: Row) => Line;
  /** Finds problems of a line without a request; null if only the service can find them. */
  readonly problems: ((line: Line) => readonly string[]) | null;
  readonly send: (lines: Sent<Line>, signal: AbortSignal) => AsyncIterable<BatchLine<Imported>>;
  /** A line that the service always rejects. Its error shows whether the caller may import. */
  readonly invalid: Line;
}

export type Sent<Line> = AsyncIterable<Line> | Iterable<Line>;
