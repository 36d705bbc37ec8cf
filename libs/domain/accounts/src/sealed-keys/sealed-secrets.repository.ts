import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import type { KeyPurpose } from './sealed-keys.js';

/** A column of sealed secrets. */
export interface SealedColumn {
  readonly purpose: KeyPurpose;
  readonly table: string;
  readonly column: string;
  /** What tells the secrets of one account apart; null: it has one at most. */
  readonly idColumn: string | null;
}

const keyOf = (purpose: KeyPurpose, table: string): SealedColumn => ({
  purpose,
  table,
  column: 'private_key',
  idColumn: null,
});

/** Where sealed secrets are. The webhooks' are written by another package, which knows no more of master keys than this one of webhooks. */
export const sealedColumns: readonly SealedColumn[] = [
  keyOf('apple-certificate', 'apple_certificate'),
  keyOf('apple-certificate-request', 'apple_certificate_request'),
  keyOf('google-service-account', 'google_service_account'),
  { purpose: 'webhook-secret', table: 'webhook', column: 'secret', idColumn: 'id' },
  { purpose: 'webhook-secret', table: 'webhook', column: 'previous_secret', idColumn: 'id' },
  { purpose: 'encryption-key', table: 'encryption_key', column: 'wrapped', idColumn: 'id' },
];

/** The id of the master key that bytes are sealed under: after the version and the id's length. Null of bytes that are too few. */
const keyIdBytes = (column: string) =>
  `CASE WHEN length(${column}) > 1 THEN substring(${column} FROM 3 FOR get_byte(${column}, 1)) END`;

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
export class SealedSecretsRepository {
  constructor(private readonly database: Database) {}

  /** The ids of the master keys in use, with the number of accounts that have secrets under each. */
  countByKey(): Promise<{ keyId: string; accounts: number }[]> {
    const all = sealedColumns.map(
      ({ table, column }) =>
        `SELECT account_id, ${keyIdBytes(column)} AS key_id FROM ${table} WHERE length(${column}) > 1`,
    );
    return this.database.reads.query(
      `SELECT convert_from(key_id, 'LATIN1') AS "keyId", count(DISTINCT account_id)::int AS accounts
       FROM (${all.join(' UNION ALL ')}) AS sealed GROUP BY key_id ORDER BY key_id`,
    );
  }

  /** The ids of the master keys under which responses are stored for repeated requests. Reads all of them. */
  async listKeysOfResponses(): Promise<string[]> {
    const rows = await this.database.reads.query<{ keyId: string }[]>(
      `SELECT DISTINCT convert_from(${keyIdBytes('sealed')}, 'LATIN1') AS "keyId" FROM idempotency_key
       WHERE length(sealed) > 1 ORDER BY 1`,
    );
    return rows.map(({ keyId }) => keyId);
  }

  /** Secrets under other master keys, locked; those that somebody else has locked are left for the next time. */
  listUnderOthers(
    tx: EntityManager,
    { table, column, idColumn }: SealedColumn,
    keyId: string,
    page: { readonly after: SecretPosition; readonly limit: number },
  ): Promise<SealedSecret[]> {
    const order = idColumn === null ? 'account_id' : `account_id, ${idColumn}`;
    return tx.query(
      `SELECT account_id AS "accountId", ${idColumn ?? "''"} AS id, ${column} AS sealed FROM ${table}
       WHERE ${idColumn === null ? "account_id > $1 AND $2::text = ''" : `(${order}) > ($1, $2)`}
         AND ${column} IS NOT NULL AND ${keyIdBytes(column)} <> convert_to($3, 'LATIN1')
       ORDER BY ${order} LIMIT $4 FOR UPDATE SKIP LOCKED`,
      [page.after.accountId, page.after.id, keyId, page.limit],
    );
  }

  async update(
    tx: EntityManager,
    { table, column, idColumn }: SealedColumn,
    { accountId, id, sealed }: SealedSecret,
  ): Promise<void> {
    await tx.query(`UPDATE ${table} SET ${column} = $3 WHERE account_id = $1 AND ${idColumn ?? "''"} = $2`, [
      accountId,
      id,
      sealed,
    ]);
  }
}
