import type { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';

const BATCH_SIZE = 100;

/** Rows of one table that may be in clear. */
export interface ClearRows<Row> {
  /** Locks rows in clear after this one, in the order of their keys, and leaves out those that another transaction holds. */
  lockInClear(tx: EntityManager, after: Row | null, limit: number): Promise<Row[]>;
  encrypt(tx: EntityManager, row: Row): Promise<void>;
}

/** Encrypts all rows that are still in clear, batch by batch. After an interruption the next call goes on with the rest. */
export async function encryptInBatches<Row>(
  database: Database,
  rows: ClearRows<Row>,
  signal: AbortSignal,
): Promise<void> {
  for (let after: Row | null | undefined = null; after !== undefined;) {
    signal.throwIfAborted();
    const from: Row | null = after;
    after = await database.transaction(async (tx) => {
      const batch = await rows.lockInClear(tx, from, BATCH_SIZE);
      for (const row of batch) await rows.encrypt(tx, row);
      return batch.length === BATCH_SIZE ? batch.at(-1) : undefined;
    });
  }
}
