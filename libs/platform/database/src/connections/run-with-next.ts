import { type EntityManager, QueryRunnerAlreadyReleasedError } from 'typeorm';
import type { Rows } from './pipelined.js';
import type { Statement } from './wire-query.js';

interface TransactionConnection {
  query(statement: Statement): Promise<Rows>;
}

/** Returns the connection of a transaction. @throws Error without one, QueryRunnerAlreadyReleasedError after its end */
export async function connectionOf({ queryRunner }: EntityManager): Promise<TransactionConnection> {
  if (!queryRunner) throw new Error('The statement needs a transaction');
  // The pool may have lent the connection to another transaction already.
  if (queryRunner.isReleased) throw new QueryRunnerAlreadyReleasedError();
  return (await queryRunner.connect()) as TransactionConnection;
}

/**
 * Runs a statement whose result the transaction does not need, in one round trip with the transaction's next statement.
 * If it fails, the next statement fails too.
 * @param name plans the statement once per connection, like `lookUp`
 */
export async function runWithNext(
  tx: EntityManager,
  sql: string,
  values: readonly unknown[],
  name?: string,
): Promise<void> {
  const connection = await connectionOf(tx);
  // Outside a transaction, the next statement of the connection may belong to another caller.
  const held = tx.queryRunner?.isTransactionActive ?? false;
  await connection.query({ name, text: sql, values: [...values], held });
}
