import type { EntityManager } from 'typeorm';

/** The possibly unencrypted rows of one table. Implementations are found among all providers. */
export abstract class ClearRows<Row extends object = object> {
  /**
   * Locks the unencrypted rows whose owner has an encryption key, across all accounts and in the order of the rows'
   * primary keys, starting after `after`. Skips rows that another transaction has locked.
   */
  abstract lockInClear(tx: EntityManager, after: Row | null, limit: number): Promise<Row[]>;

  /**
   * Encrypts a locked row. @returns the reason, as a sentence, if the row has to stay unencrypted; null if it is
   * encrypted
   */
  abstract encrypt(tx: EntityManager, row: Row): Promise<string | null>;

  /**
   * SQL condition: the account of a row has an encryption key. If `account` is given, the condition is instead that the
   * row belongs to the account `:account`.
   */
  protected hasKey(alias: string, account?: string): string {
    return account === undefined
      ? `EXISTS (SELECT FROM encryption_key k WHERE k.account_id = ${alias}.account_id AND k.id = 'root')`
      : `${alias}.account_id = :account`;
  }
}
