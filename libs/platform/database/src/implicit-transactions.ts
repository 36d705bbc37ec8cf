import { inSpan } from '@passwright/core';
import type { ObjectLiteral } from 'typeorm';
import { mayHaveCommitted } from './connections/temporary-errors.js';
import type { NamedStatement, Pool } from './pool-types.js';
import { asQueryFailed } from './statements/failed-query.js';
import type { EntityClass, RowStatements } from './statements/row-statements.js';
import { repeatedOnConflict } from './transaction-retries.js';

/** The condition of an insert, and the lock that keeps it true. */
export interface InsertCondition {
  /** Takes the lock before the insert. Postgres holds the lock until the commit. */
  readonly lock: NamedStatement;
  /** SQL that follows `FROM <rows> r`, such as a join. Its parameters begin with `$2`. */
  readonly sql: string;
  readonly values: readonly unknown[];
}

/**
 * Transactions of one round trip, without BEGIN and COMMIT. Postgres runs statements that arrive together as one
 * transaction.
 */
export class ImplicitTransactions {
  constructor(
    private readonly pool: Pool,
    private readonly statements: RowStatements,
    private readonly database: { readonly isInTransaction: boolean; readonly isDistributed: boolean },
  ) {}

  /** False where such transactions cannot work: within `inOneTransaction`, on Citus, and on an app's own connections. */
  get isPossible(): boolean {
    const { isInTransaction, isDistributed } = this.database;
    return !isInTransaction && !isDistributed && 'queryAfter' in (this.pool.Client?.prototype ?? {});
  }

  /**
   * Inserts rows if the condition holds. Skips rows that conflict with existing ones. All rows must have the properties
   * of the first.
   * @returns the values of `returning` of the inserted rows; null, without inserting, if `isPossible` is false
   * @throws QueryFailedError. The rows may still have been inserted, see `mayHaveCommitted`. @throws the error of a
   *   connection that could not be opened
   */
  async insertMany<Entity extends ObjectLiteral>(
    entity: EntityClass<Entity>,
    rows: readonly Entity[],
    returning: keyof Entity & string,
    { lock, sql, values }: InsertCondition,
  ): Promise<unknown[] | null> {
    const [first, ...others] = rows;
    if (!this.isPossible) return null;
    if (!first) return [];
    const insertion = this.statements.insertionOfMany(
      entity,
      [first, ...others],
      'ON CONFLICT DO NOTHING',
      returning,
      sql,
    );
    const statement = { name: insertion.name, text: insertion.sql, values: [...insertion.values, ...values] };
    return inSpan('transaction', { 'db.system.name': 'postgresql' }, () =>
      repeatedOnConflict(() => this.run(lock, statement)),
    );
  }

  private async run(lock: NamedStatement, statement: NamedStatement): Promise<unknown[]> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    try {
      if (!client.queryAfter) throw new Error('The connection cannot send two statements together');
      const { rows } = await client.queryAfter(lock, statement).catch(asQueryFailed(statement.text, statement.values));
      return (rows as { value: unknown }[]).map(({ value }) => value);
    } catch (error) {
      // The connection is ending or in an unknown state, so the pool must not use it again.
      if (mayHaveCommitted(error)) broken = error as Error;
      throw error;
    } finally {
      client.release(broken);
    }
  }
}
