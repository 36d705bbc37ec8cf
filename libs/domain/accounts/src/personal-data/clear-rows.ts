import type { EntityManager } from 'typeorm';

/** The rows of one table that may be in clear. Found among all providers. */
export abstract class ClearRows<Row extends object = object> {
  /**
   * Locks rows in clear whose owner has a key, after this one, in the order of their keys and over all accounts. Leaves out
   * those that another transaction holds.
   */
  abstract lockInClear(tx: EntityManager, after: Row | null, limit: number): Promise<Row[]>;

  /** Encrypts a locked row. @returns why it has to stay in clear, as a sentence; null when it is encrypted */
  abstract encrypt(tx: EntityManager, row: Row): Promise<string | null>;
}
