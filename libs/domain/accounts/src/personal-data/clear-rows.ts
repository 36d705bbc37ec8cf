import type { EntityManager } from 'typeorm';

/** The rows of one table that may be unencrypted. Implementations are found among all providers. */
export abstract class ClearRows<Row extends object = object> {
  /**
   * Locks unencrypted rows whose owner has a key, in the order of their keys and across all accounts, starting after
   * `after`. Skips rows that another transaction has locked.
   */
  abstract lockInClear(tx: EntityManager, after: Row | null, limit: number): Promise<Row[]>;

  /**
   * Encrypts a locked row. @returns the reason, as a sentence, if the row has to stay unencrypted; null if it is
   * encrypted
   */
  abstract encrypt(tx: EntityManager, row: Row): Promise<string | null>;
}
