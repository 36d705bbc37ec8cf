import { type Connection, Query, type QueryConfig } from 'pg';

/** A statement as pg's `query` takes it. */
export interface Statement extends Omit<QueryConfig, 'types'> {
  readonly text: string;
  /** True if the client holds the statement back and sends it in one round trip with the next statement. */
  readonly held?: boolean;
  /**
   * True if the statement shares a round trip with all other such statements of this turn of the event loop, and with
   * the next statement.
   */
  readonly gathers?: boolean;
  /** Takes the result or error of a held-back statement whose result is needed. */
  readonly received?: Callback;
  /** Called if the server has not run a held-back statement, because it or an earlier one failed. */
  readonly skipped?: () => void;
  /** Uses the messages of prepared statements even for a statement without a name or values. */
  readonly queryMode?: 'extended';
}

/** A connection of pg, with members that its types omit. */
export type Wire = Connection & {
  readonly submittedNamedStatements: Record<string, string>;
  execute(portal: { readonly portal: string }): void;
};

/** Receives the outcome of a statement. */
export type Callback = (error: Error | undefined, result: unknown) => void;

/**
 * pg's own query class, with methods that its types omit. The version of pg is pinned, and a spec uses each of these
 * methods.
 */
const PgQuery = Query as unknown as new (
  text: string,
  values?: readonly unknown[],
) => {
  callback: Callback | undefined;
  submit(connection: Wire): Error | null;
  prepare(connection: Wire): void;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Wire): void;
  handleError(error: Error, connection: Wire): void;
};

/**
 * A statement that passes its parts to pg one by one. pg would copy an object with all property descriptors, which
 * takes about as long as reading a row.
 */
export class WireQuery extends PgQuery {
  constructor({ text, values, name, queryMode }: Statement) {
    super(text, values);
    Object.assign(this, { name, queryMode });
  }
}

/** Adds the caller's stack to an error and throws it, as pg's own promises do. */
export function withStack(error: Error): never {
  Error.captureStackTrace(error);
  throw error;
}
