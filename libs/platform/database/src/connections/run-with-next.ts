import { type EntityManager, QueryRunnerAlreadyReleasedError } from 'typeorm';
import type { Statement } from './wire-query.js';

/**
 * Runs a statement whose result the transaction does not need. The connection sends it together with the transaction's
 * next statement, which fails if this one does.
 * @param name plans the statement once per connection, like `lookUp`
 */
export async function runWithNext(
  tx: EntityManager,
  sql: string,
  values: readonly unknown[],
  name?: string,
): Promise<void> {
  if (!tx.queryRunner) throw new Error('A statement that waits for the next one needs a transaction');
  // The pool may have lent the connection to another transaction by now.
  if (tx.queryRunner.isReleased) throw new QueryRunnerAlreadyReleasedError();
  const connection = (await tx.queryRunner.connect()) as { query(statement: Statement): Promise<unknown> };
  await connection.query({ name, text: sql, values: [...values], held: true });
}
