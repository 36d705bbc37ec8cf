import { DescribedOnceQuery, type KnownColumns } from './described-once.js';
import type { Callback, Statement, Wire } from './wire-query.js';

/** A statement that is sent before another one, in the same round trip. */
class HeldQuery extends DescribedOnceQuery {
  declare private _results: unknown;
  declare private _canceledDueToError: Error | false;

  constructor(
    private readonly columns: KnownColumns,
    readonly statement: Statement,
  ) {
    super(columns, { name: statement.name, text: statement.text, values: statement.values, queryMode: 'extended' });
  }

  /** Asks for the columns only if the caller needs the result. */
  override prepare(connection: Wire): void {
    super.prepare(this.statement.received ? connection : this.columns.withoutDescribe);
  }

  override handleDataRow(message: unknown): void {
    if (this.statement.received) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: Wire): void {
    if (!this.statement.received) return;
    super.handleCommandComplete(message, connection);
    this.statement.received(this._canceledDueToError || undefined, this._results);
  }

  /** Called by `prepare`. Omits the Sync message, so that the server does not respond yet. */
  protected _getRows(connection: Wire): void {
    connection.execute({ portal: '' });
  }
}

/**
 * A statement and the held-back statements before it, sent in one round trip. The server runs them in order. If one
 * fails, the server skips the rest, and this statement fails with that error.
 */
export class JoinedQuery extends DescribedOnceQuery {
  declare private ownName: string | undefined;
  declare private ownText: string;
  /** The number of held-back statements that may take a long time, for example because they wait for a lock. */
  readonly slow: number;
  /** The number of held-back statements without a result. */
  private ahead = 0;
  private readonly heldBack: readonly HeldQuery[];

  constructor(known: KnownColumns, heldBack: readonly Statement[], statement: Statement, callback: Callback) {
    super(known, { queryMode: 'extended', ...statement });
    this.slow = heldBack.filter(({ held }) => held).length;
    this.heldBack = heldBack.map((held) => new HeldQuery(known, held));
    this.callback = callback;
  }

  /** The name of the statement to which the server's next response belongs. pg then records it as prepared. */
  get name(): string | undefined {
    return this.current ? this.current.statement.name : this.ownName;
  }

  set name(name: string | undefined) {
    this.ownName = name;
  }

  /** The text of the statement to which the server's next response belongs. */
  get text(): string {
    return this.current ? this.current.statement.text : this.ownText;
  }

  set text(text: string) {
    this.ownText = text;
  }

  /** The held-back statement that has no result yet; null when this statement itself is next. */
  private get current(): HeldQuery | null {
    return this.ahead > 0 ? (this.heldBack.at(-this.ahead) ?? null) : null;
  }

  override submit(connection: Wire): Error | null {
    connection.stream.cork();
    try {
      for (const held of this.heldBack) {
        held.parseLike(this);
        held.prepare(connection);
      }
      return super.submit(connection);
    } catch (error) {
      // A value of a held-back statement could not be converted. pg has sent a Sync, so a response will follow.
      this.handleError(error as Error, connection);
      return null;
    } finally {
      this.ahead = this.heldBack.length;
      connection.stream.uncork();
    }
  }

  override handleRowDescription(message: unknown): void {
    if (this.current) this.current.handleRowDescription(message);
    else super.handleRowDescription(message);
  }

  override handleDataRow(message: unknown): void {
    if (this.current) this.current.handleDataRow(message);
    else super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: Wire): void {
    if (!this.current) return super.handleCommandComplete(message, connection);
    this.current.handleCommandComplete(message, connection);
    this.ahead--;
  }

  override handleError(error: Error, connection: Wire): void {
    if (this.ahead > 0) {
      const remaining = this.heldBack.slice(-this.ahead).map(({ statement }) => statement);
      for (const statement of remaining) statement.skipped?.();
      // Forget the names of the remaining statements, because the server has skipped them.
      const names = [...remaining.map(({ name }) => name), this.ownName];
      for (const name of names) if (name) delete connection.submittedNamedStatements[name];
    }
    this.ahead = 0;
    // A statement that already has its result ignores the error.
    for (const { statement } of this.heldBack) statement.received?.(error, null);
    super.handleError(error, connection);
  }
}

/** Sends a statement and those held back before it in one round trip. @returns the result of the statement */
export function askJoined(
  ask: (query: JoinedQuery) => unknown,
  known: KnownColumns,
  heldBack: readonly Statement[],
  statement: Statement,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const callback: Callback = (error, result) => (error ? reject(error) : resolve(result));
    ask(new JoinedQuery(known, heldBack, statement, callback));
  });
}
