import { Injectable } from '@nestjs/common';
import { keyIdSql, type SecretColumn } from '@passwright/core';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';

/** The account and id of a secret. */
export interface SecretPosition {
  readonly accountId: string;
  /** The id of the secret; empty if an account has at most one secret of this kind. */
  readonly id: string;
}

export interface EncryptedSecret extends SecretPosition {
  readonly encrypted: Buffer;
}

@Injectable()
export class StoredSecretsRepository {
  constructor(private readonly database: Database) {}

  /** Counts the accounts with secrets under each master key. */
  async countByKey(columns: readonly SecretColumn[]): Promise<{ keyId: string; accounts: number }[]> {
    if (columns.length === 0) return [];
    const all = columns.map(
      ({ table, column }) =>
        `SELECT account_id, ${keyIdSql(column)} AS key_id FROM ${table} WHERE length(${column}) > 1`,
    );
    return this.database.reads.query(
      `SELECT convert_from(key_id, 'LATIN1') AS "keyId", count(DISTINCT account_id)::int AS accounts
       FROM (${all.join(' UNION ALL ')}) AS encrypted GROUP BY key_id ORDER BY key_id`,
    );
  }

  /**
   * Lists and locks secrets under other master keys. Skips secrets that another transaction has locked. Locks nothing
   * on Citus, which can lock the rows of only one account.
   */
  listUnderOthers(
    tx: EntityManager,
    { table, column, idColumn }: SecretColumn,
    keyId: string,
    page: { readonly after: SecretPosition; readonly limit: number },
  ): Promise<EncryptedSecret[]> {
    const order = idColumn === null ? 'account_id' : `account_id, ${idColumn}`;
    const lock = this.database.isDistributed ? '' : 'FOR UPDATE SKIP LOCKED';
    return tx.query(
      `SELECT account_id AS "accountId", ${idColumn ?? "''"} AS id, ${column} AS encrypted FROM ${table}
       WHERE ${idColumn === null ? "account_id > $1 AND $2::text = ''" : `(${order}) > ($1, $2)`}
         AND ${column} IS NOT NULL AND ${keyIdSql(column)} <> convert_to($3, 'LATIN1')
       ORDER BY ${order} LIMIT $4 ${lock}`,
      [page.after.accountId, page.after.id, keyId, page.limit],
    );
  }

  /** Replaces a secret if it has not changed since `before` was read. */
  async update(
    tx: EntityManager,
    { table, column, idColumn }: SecretColumn,
    { accountId, id, encrypted }: EncryptedSecret,
    before: Buffer,
  ): Promise<void> {
    const key = `account_id = $1 AND ${idColumn ?? "''"} = $2`;
    const sql = `UPDATE ${table} SET ${column} = $3 WHERE ${key} AND ${column} = $4`;
    await tx.query(sql, [accountId, id, encrypted, before]);
  }
}
