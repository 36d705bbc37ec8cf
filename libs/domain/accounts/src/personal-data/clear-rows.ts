import type { EntityManager } from 'typeorm';

/**
 * The rows of one table that may still be unencrypted. The background encryption uses every provider that extends this
 * class.
 */
export abstract class ClearRows<Row extends object = object> {
  /**
   * Locks the unencrypted rows of all accounts with an encryption key, in the order of the rows' primary keys, starting
   * after `after`. Skips rows that another transaction has locked.
   */
  abstract lockInClear(tx: EntityManager, after: Row | null, limit: number): Promise<Row[]>;

  /**
   * Encrypts a locked row. @returns null if the row is now encrypted; otherwise a sentence that says why it stays
   * unencrypted
   */
  abstract encrypt(tx: EntityManager, row: Row): Promise<string | null>;

  /**
   * Returns the SQL condition for rows whose account has an encryption key. With `account`, returns the condition for
   * rows of the account `:account`.
   */
  protected hasKey(alias: string, account?: string): string {
    return account === undefined
      ? `EXISTS (SELECT FROM encryption_key k WHERE k.account_id = ${alias}.account_id AND k.id = 'root')`
      : `${alias}.account_id = :account`;
  }
}
