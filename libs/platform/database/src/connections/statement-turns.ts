import { DatabaseError } from 'pg';
import { BEGIN, HeldStatements, RELEASE } from './held-statements.js';
import type { KnownColumns } from './described-once.js';
import { askJoined } from './joined-query.js';
import { isScript, statementOf } from './query-arguments.js';
import { CommitRolledBack } from './temporary-errors.js';
import { type Statement, withStack } from './wire-query.js';

/** pg's `query`. Returns a promise for a plain statement, and something else for a stream or with a callback. */
type Ask = (...args: unknown[]) => unknown;

/**
 * Decides when a connection sends its statements. It sends one after the other, because pg warns about queued queries.
 * It holds some statements back, to send them together with the next one.
 */
export class StatementTurns {
  private readonly held = new HeldStatements();
  private last: Promise<void> | null = null;
  /** The server's first error since it last ran a statement. It has failed the current transaction, if any. */
  private failure: Error | null = null;

  constructor(
    private readonly ask: Ask,
    private readonly columns: KnownColumns,
  ) {}

  query(...args: unknown[]): unknown {
    const statement = statementOf(args);
    // Pass on streams and calls with a callback unchanged, because they never run inside a TypeORM transaction.
    if (!statement) return this.ask(...args);
    if (statement.gathers) return this.gather(statement);
    return this.inTurn(() => this.send(statement, args));
  }

  /** Holds a statement back until the end of this turn of the event loop. @returns its result */
  private gather({ gathers: _, ...statement }: Statement): Promise<unknown> {
    process.nextTick(() => void this.inTurn(() => this.sendGathered()));
    return new Promise((resolve, reject) => {
      const received = (error: Error | undefined, result: unknown) => (error ? reject(error) : resolve(result));
      this.held.hold({ held: true, received, ...statement });
    }).catch(withStack);
  }

  private inTurn(send: () => Promise<unknown>): Promise<unknown> {
    const result = this.last ? this.last.then(send) : send();
    const end = () => {
      if (this.last === settled) this.last = null;
    };
    const succeed = (value: unknown) => {
      if (value !== nothing) this.failure = null;
      end();
    };
    const fail = (error: unknown) => {
      this.noteFailure(error);
      end();
    };
    const settled: Promise<void> = result.then(succeed, fail);
    this.last = settled;
    return result;
  }

  private noteFailure(error: unknown): void {
    if (error instanceof DatabaseError) this.failure ??= error;
  }

  private send(statement: Statement, args: readonly unknown[]): Promise<unknown> {
    const { text } = statement;
    const { failure } = this;
    // The server would only report that the transaction has failed. TypeORM now rolls back to the savepoint.
    if (failure && RELEASE.test(text)) return Promise.reject(failure);
    if (text === BEGIN) this.failure = null;
    if (this.held.hold(statement)) return Promise.resolve(nothing);
    if (text === 'COMMIT') return this.join(statement).then((result) => requireCommitted(result, failure));
    if (this.held.isEmpty) return this.ask(...args) as Promise<unknown>;
    if (!isScript(statement)) return this.join(statement).catch(withStack);
    return this.join({ text: 'SELECT' }).then(() => this.ask(...args));
  }

  /** Sends the gathered statements, unless they were already sent with another statement. */
  private async sendGathered(): Promise<unknown> {
    const before = this.held.takeAwaited();
    const statement = before.pop();
    if (!statement) return nothing;
    const sent = askJoined(this.ask, this.columns, before, statement);
    const fail = (error: Error) => {
      this.noteFailure(error);
      statement.received?.(error, null);
    };
    await sent.then((result) => statement.received?.(undefined, result), fail);
    return nothing;
  }

  private join(statement: Statement): Promise<unknown> {
    return askJoined(this.ask, this.columns, this.held.take(), statement);
  }
}

/** The result that a held-back statement gets immediately. */
const nothing = { rows: [], fields: [], rowCount: null, command: '' };

/**
 * @param cause the error that made the transaction fail.
 * @throws CommitRolledBack
 */
function requireCommitted<R>(result: R, cause: Error | null): R {
  if ((result as { command?: string }).command === 'COMMIT') return result;
  throw new CommitRolledBack(cause);
}
