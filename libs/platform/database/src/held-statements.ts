import type { Statement } from './joined-query.js';

const BEGIN = 'START TRANSACTION';
const CONTROL = /^(START TRANSACTION|SAVEPOINT \w+|RELEASE SAVEPOINT \w+|SET LOCAL [^;]+)$/;
const ROLLBACK_TO = /^ROLLBACK TO (SAVEPOINT \w+)$/;

/**
 * The statements of a connection that wait for the next one. What begins a transaction or a savepoint, and what ends a
 * savepoint, has no result: sent together with the next statement, it costs no round trip.
 */
export class HeldStatements {
  private held: Statement[] = [];

  get isEmpty(): boolean {
    return this.held.length === 0;
  }

  /** Returns whether `statement` needs not be sent now: it waits, or it only undoes what was never sent. */
  hold(statement: Statement): boolean {
    const { text } = statement;
    if (statement.held || CONTROL.test(text)) return this.held.push(statement) > 0;
    if (text === 'ROLLBACK') return this.drop(this.indexOf(BEGIN));
    if (text === 'COMMIT') return this.isUnused && this.drop(0);
    const savepoint = ROLLBACK_TO.exec(text)?.[1];
    return savepoint !== undefined && this.drop(this.indexOf(savepoint));
  }

  /** True if the transaction has run no statement yet. */
  private get isUnused(): boolean {
    return this.indexOf(BEGIN) === 0 && this.held.every(({ text }) => CONTROL.test(text));
  }

  /** Returns what is to be sent ahead of the next statement. */
  take(): readonly Statement[] {
    return this.held.splice(0);
  }

  /**
   * Forgets what was held back from a place on, or all of it, as a statement that was sent undoes it.
   * @returns whether there is such a place
   */
  private drop(from: number): boolean {
    this.held.length = Math.max(from, 0);
    return from >= 0;
  }

  private indexOf(text: string): number {
    return this.held.findLastIndex((held) => held.text === text);
  }
}
