import type { Statement } from './wire-query.js';

export const BEGIN = 'START TRANSACTION';
const CONTROL = /^(START TRANSACTION|SAVEPOINT \w+|RELEASE SAVEPOINT \w+|SET LOCAL [^;]+)$/;
const SAVEPOINT = /^SAVEPOINT \w+$/;
const ROLLBACK_TO = /^ROLLBACK TO (SAVEPOINT \w+)$/;
export const RELEASE = /^RELEASE (SAVEPOINT \w+)$/;

/**
 * The statements that a connection holds back, to send them together with the next statement. BEGIN, SAVEPOINT and
 * RELEASE return no result, so sending them with the next statement saves a round trip.
 */
export class HeldStatements {
  private held: Statement[] = [];
  /** The savepoints that the server has not made, because a statement before them failed. */
  private readonly missing = new Set<string>();

  get isEmpty(): boolean {
    return this.held.length === 0;
  }

  /** Holds a statement back if possible. @returns false if the connection must send it now */
  hold(statement: Statement): boolean {
    const { text } = statement;
    const released = RELEASE.exec(text)?.[1];
    if (released && this.mayFail(released)) return false;
    if (SAVEPOINT.test(text)) return this.holdSavepoint(statement);
    if (text === BEGIN || text === 'ROLLBACK') this.missing.clear();
    if (statement.held || CONTROL.test(text)) return this.held.push(statement) > 0;
    if (text === 'ROLLBACK') return this.drop(this.indexOf(BEGIN));
    if (text === 'COMMIT') return this.isUnused && this.drop(0);
    const savepoint = ROLLBACK_TO.exec(text)?.[1];
    if (savepoint === undefined) return false;
    // Send nothing for a missing savepoint, because an older savepoint may have the same name.
    return this.drop(this.indexOf(savepoint)) || this.missing.has(savepoint);
  }

  /**
   * Returns true if statements after this savepoint are still held back, or if the savepoint is missing. Then the end
   * of the nested transaction must be sent now.
   */
  private mayFail(savepoint: string): boolean {
    return this.hasWorkAfter(this.indexOf(savepoint)) || this.missing.has(savepoint);
  }

  private holdSavepoint(statement: Statement): boolean {
    const { text } = statement;
    this.missing.delete(text);
    return this.held.push({ ...statement, skipped: () => this.missing.add(text) }) > 0;
  }

  /** True if the transaction has not run any statement yet. */
  private get isUnused(): boolean {
    return this.indexOf(BEGIN) === 0 && !this.hasWorkAfter(0);
  }

  private hasWorkAfter(index: number): boolean {
    return this.held.slice(index + 1).some(({ text }) => !CONTROL.test(text));
  }

  /** Removes and returns the held-back statements, which must be sent before the next statement. */
  take(): readonly Statement[] {
    return this.held.splice(0);
  }

  /** Removes and returns the held-back statements up to the last one whose caller waits for its result. */
  takeAwaited(): Statement[] {
    return this.held.splice(0, this.held.findLastIndex(({ received }) => received !== undefined) + 1);
  }

  /** Drops the held-back statements from an index on, because the next statement would roll them back. */
  private drop(from: number): boolean {
    const dropped = this.held.splice(Math.max(from, 0));
    for (const { received } of dropped) received?.(new Error('The transaction was rolled back'), null);
    return from >= 0;
  }

  private indexOf(text: string): number {
    return this.held.findLastIndex((held) => held.text === text);
  }
}
