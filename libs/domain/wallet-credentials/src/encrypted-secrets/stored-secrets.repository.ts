import { Injectable } from '@nestjs/common';
import { keyIdSql, type SecretColumn } from '@passwright/core';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';

/** Whose secret it is, and which one. */
export interface SecretPosition {
  readonly accountId: string;
  /** Empty where an account has one at most. */
  readonly id: string;
}

/** A sealed secret with its owner. */
export interface SealedSecret extends SecretPosition {
  readonly sealed: Buffer;
}

@Injectable()
export class StoredSecretsRepository {
  constructor(private readonly database: Database) {}

  /** The ids of the master keys in use, with the number of accounts that have secrets under each. */
  async countByKey(columns: readonly SecretColumn[]): Promise<{ keyId: string; accounts: number }[]> {
    if (columns.length === 0) return [];
    const all = columns.map(
      ({ table, column }) =>
        `SELECT account_id, ${keyIdSql(column)} AS key_id FROM ${table} WHERE length(${column}) > 1`,
    );
    return this.database.reads.query(
      `SELECT convert_from(key_id, 'LATIN1') AS "keyId", count(DISTINCT account_id)::int AS accounts
       FROM (${all.join(' UNION ALL ')}) AS sealed GROUP BY key_id ORDER BY key_id`,
    );
  }

  /** Secrets under other master keys, locked; those that somebody else has locked are left for the next time. */
  listUnderOthers(
    tx: EntityManager,
    { table, column, idColumn }: SecretColumn,
    keyId: string,
    page: { readonly after: SecretPosition; readonly limit: number },
  ): Promise<SealedSecret[]> {
    const order = idColumn === null ? 'account_id' : `account_id, ${idColumn}`;
    return tx.query(
      `SELECT account_id AS "accountId", ${idColumn ?? "''"} AS id, ${column} AS sealed FROM ${table}
       WHERE ${idColumn === null ? "account_id > $1 AND $2::text = ''" : `(${order}) > ($1, $2)`}
         AND ${column} IS NOT NULL AND ${keyIdSql(column)} <> convert_to($3, 'LATIN1')
       ORDER BY ${order} LIMIT $4 FOR UPDATE SKIP LOCKED`,
      [page.after.accountId, page.after.id, keyId, page.limit],
    );
  }

  async update(
    tx: EntityManager,
    { table, column, idColumn }: SecretColumn,
    { accountId, id, sealed }: SealedSecret,
  ): Promise<void> {
    await tx.query(`UPDATE ${table} SET ${column} = $3 WHERE account_id = $1 AND ${idColumn ?? "''"} = $2`, [
      accountId,
      id,
      sealed,
    ]);
  }
}
