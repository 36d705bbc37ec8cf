import { type Connection, Query, type QueryConfig } from 'pg';

/** A statement as pg's `query` takes it. */
export interface Statement extends QueryConfig {
  readonly text: string;
  /** True if it may wait for the next statement because its result is not used. */
  readonly held?: boolean;
}

type Wire = Connection & {
  readonly submittedNamedStatements: Record<string, string>;
  execute(portal: { readonly portal: string }): void;
};

type Callback = (error: Error | undefined, result: unknown) => void;

/** pg's own query, with the methods that its types leave out. The version of pg is pinned, and a spec uses each of them. */
const WireQuery = Query as unknown as new (statement: object) => {
  callback: Callback | undefined;
  submit(connection: Wire): Error | null;
  prepare(connection: Wire): void;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Wire): void;
  handleError(error: Error, connection: Wire): void;
};

/** A statement that is sent ahead of another one. */
class HeldQuery extends WireQuery {
  constructor(readonly statement: Statement) {
    super({ text: statement.text, values: statement.values, queryMode: 'extended' });
  }

  /** Called by `prepare`. Leaves out the end of the batch, so that the server goes on without answering. */
  protected _getRows(connection: Wire): void {
    connection.execute({ portal: '' });
  }
}

/**
 * A statement and those that were held back, in one round trip. The server runs them in order, and skips the rest once
 * one has failed: the failure is that of the statement.
 */
export class JoinedQuery extends WireQuery {
  declare private ownName: string | undefined;
  /** Held statements that have no result yet. */
  private ahead = 0;
  private readonly heldBack: readonly HeldQuery[];

  constructor(heldBack: readonly Statement[], statement: Statement, callback: Callback) {
    super({ ...statement, queryMode: 'extended' });
    this.heldBack = heldBack.map((held) => new HeldQuery(held));
    this.callback = callback;
  }

  /** pg takes the next answer to belong to a prepared statement of this name. */
  get name(): string | undefined {
    return this.ahead > 0 ? undefined : this.ownName;
  }

  set name(name: string | undefined) {
    this.ownName = name;
  }

  override submit(connection: Wire): Error | null {
    connection.stream.cork();
    try {
      for (const held of this.heldBack) held.prepare(connection);
      return super.submit(connection);
    } finally {
      this.ahead = this.heldBack.length;
      connection.stream.uncork();
    }
  }

  override handleRowDescription(message: unknown): void {
    if (this.ahead === 0) super.handleRowDescription(message);
  }

  override handleDataRow(message: unknown): void {
    if (this.ahead === 0) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: Wire): void {
    if (this.ahead > 0) this.ahead--;
    else super.handleCommandComplete(message, connection);
  }

  override handleError(error: Error, connection: Wire): void {
    // It was skipped, so the server does not know its name.
    if (this.ahead > 0 && this.ownName) delete connection.submittedNamedStatements[this.ownName];
    this.ahead = 0;
    super.handleError(error, connection);
  }
}
