import { inSpan } from '@passwright/core';
import type { ObjectLiteral } from 'typeorm';
import type { NamedStatement, Pool } from './pool.js';
import { asQueryFailed } from './statements/failed-query.js';
import { definedIn, type EntityClass, type RowStatements } from './statements/row-statements.js';
import { repeatedOnConflict } from './transaction-retries.js';

/** The condition of an insert, and the lock that keeps it true. */
export interface InsertCondition {
  /** Runs before the insert and holds until the commit. */
  readonly lock: NamedStatement;
  /** SQL behind the `FROM` of the rows, which are `r`, such as a join. Its parameters begin with `$2`. */
  readonly sql: string;
  readonly values: readonly unknown[];
}

/**
 * Transactions of one round trip, without BEGIN and COMMIT: Postgres makes one transaction of the statements that arrive
 * together.
 */
export class ImplicitTransactions {
  constructor(
    private readonly pool: Pool,
    private readonly statements: RowStatements,
    private readonly database: { readonly isInTransaction: boolean; readonly isDistributed: boolean },
  ) {}

  /**
   * Inserts rows if the condition holds, and leaves out those that conflict with existing ones. All rows must have the
   * properties of the first.
   * @returns the values of `returning` of the inserted rows; null, without inserting, within `inOneTransaction`, on Citus
   * and on an app's own connections
   * @throws QueryFailedError. After the loss of a connection, the rows may be inserted all the same.
   */
  async insertMany<Entity extends ObjectLiteral>(
    entity: EntityClass<Entity>,
    rows: readonly Entity[],
    returning: keyof Entity & string,
    { lock, sql, values }: InsertCondition,
  ): Promise<unknown[] | null> {
    const [first] = rows;
    if (!first) return [];
    if (this.database.isInTransaction || this.database.isDistributed) return null;
    const properties = definedIn(first);
    const { name, sql: text } = this.statements.insertMany(
      entity,
      properties,
      'ON CONFLICT DO NOTHING',
      returning,
      sql,
    );
    const json = this.statements.rowsJson(entity, properties, rows);
    return inSpan('transaction', { 'db.system.name': 'postgresql' }, () =>
      repeatedOnConflict(() => this.run(lock, { name, text, values: [json, ...values] })),
    );
  }

  private async run(lock: NamedStatement, statement: NamedStatement): Promise<unknown[] | null> {
    const client = await this.pool.connect();
    try {
      if (!client.queryAfter) return null;
      const { rows } = await client.queryAfter(lock, statement).catch(asQueryFailed(statement.text, statement.values));
      return (rows as { value: unknown }[]).map(({ value }) => value);
    } finally {
      client.release();
    }
  }
}
