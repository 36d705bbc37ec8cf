import type { Statement } from './wire-query.js';

const BEGIN = 'START TRANSACTION';
const CONTROL = /^(START TRANSACTION|SAVEPOINT \w+|RELEASE SAVEPOINT \w+|SET LOCAL [^;]+)$/;
const ROLLBACK_TO = /^ROLLBACK TO (SAVEPOINT \w+)$/;
const RELEASE = /^RELEASE (SAVEPOINT \w+)$/;

/**
 * The statements that a connection holds back, to send them together with the next statement. BEGIN, SAVEPOINT and
 * RELEASE return no result, so sending them with the next statement saves a round trip.
 */
export class HeldStatements {
  private held: Statement[] = [];

  get isEmpty(): boolean {
    return this.held.length === 0;
  }

  /** True if the caller of a held statement waits for its result. */
  get isAwaited(): boolean {
    return this.held.some(({ received }) => received !== undefined);
  }

  /** Holds a statement back if possible. @returns false if the connection must send it now */
  hold(statement: Statement): boolean {
    const { text } = statement;
    const released = RELEASE.exec(text)?.[1];
    // A failure of these statements must fail the nested transaction that they belong to.
    if (released && this.hasWorkAfter(this.indexOf(released))) return false;
    if (statement.held || CONTROL.test(text)) return this.held.push(statement) > 0;
    if (text === 'ROLLBACK') return this.drop(this.indexOf(BEGIN));
    if (text === 'COMMIT') return this.isUnused && this.drop(0);
    const savepoint = ROLLBACK_TO.exec(text)?.[1];
    return savepoint !== undefined && this.drop(this.indexOf(savepoint));
  }

  /** True if the transaction has not run any statement yet. */
  private get isUnused(): boolean {
    return this.indexOf(BEGIN) === 0 && !this.hasWorkAfter(0);
  }

  private hasWorkAfter(index: number): boolean {
    return this.held.slice(index + 1).some(({ text }) => !CONTROL.test(text));
  }

  /** Removes and returns the held statements, which must be sent before the next statement. */
  take(): readonly Statement[] {
    return this.held.splice(0);
  }

  /** Drops the held statement at an index and all later ones, because the next statement would roll them back. */
  private drop(from: number): boolean {
    const dropped = this.held.splice(Math.max(from, 0));
    for (const { received } of dropped) received?.(new Error('The transaction was rolled back'), null);
    return from >= 0;
  }

  private indexOf(text: string): number {
    return this.held.findLastIndex((held) => held.text === text);
  }
}
