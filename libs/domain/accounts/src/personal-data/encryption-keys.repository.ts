import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import type { RecordKey } from './account-key.js';

/**
 * The owner id for the keys of users, because users belong to no account. It cannot be the id of an account: those
 * start with `acc_`.
 */
export const keysOfUsers = 'users';

/** The id of an account's own key, from which the keys of its records are derived. */
const ROOT = 'root';

/** SQL condition: the key of users exists. */
export const usersHaveKey = `EXISTS (SELECT FROM encryption_key k WHERE k.account_id = '${keysOfUsers}' AND k.id = '${ROOT}')`;

/** An account's key in its stored, encrypted form. */
export interface StoredAccountKey {
  /** Encrypted with a master key. */
  readonly wrapped: Buffer;
  readonly isComplete: boolean;
}

/** A record's key, with the search tokens by which the record can be found. */
export interface StoredRecordKey extends RecordKey {
  readonly tokens?: readonly string[];
}

/** All queries on the table `encryption_key`, except those that read a key together with its record. */
@Injectable()
export class EncryptionKeysRepository {
  constructor(private readonly database: Database) {}

  /** @param tx reads within this transaction, so that it needs no second connection */
  async findRoot(accountId: string, tx?: EntityManager): Promise<StoredAccountKey | null> {
    const [row] = tx
      ? await this.database.prepared<StoredAccountKey>(tx, 'encryption-key', findRootSql, [accountId])
      : await this.database.lookUp<StoredAccountKey>('encryption-key', findRootSql, [accountId]);
    return row ?? null;
  }

  /**
   * Inserts an account's key. Does nothing if the account has a key, or encrypted records, which a new key could not
   * decrypt.
   */
  async insertRoot(tx: EntityManager, accountId: string, wrapped: Buffer, completedAt: Date | null): Promise<void> {
    await tx.query(
      `INSERT INTO encryption_key (account_id, id, wrapped, completed_at)
       SELECT $1, '${ROOT}', $2::bytea, $3::timestamptz WHERE NOT has_encrypted_records($1) ON CONFLICT DO NOTHING`,
      [accountId, wrapped, completedAt],
    );
  }

  async complete(tx: EntityManager, accountId: string, now: Date): Promise<void> {
    await tx.query(`UPDATE encryption_key SET completed_at = $2 WHERE account_id = $1 AND id = '${ROOT}'`, [
      accountId,
      now,
    ]);
  }

  /** Stores the keys of records, replacing existing ones. */
  async put(tx: EntityManager, accountId: string, keys: readonly StoredRecordKey[]): Promise<void> {
    const rows = keys.map(({ id, salt, tokens }) => ({ id, salt: salt.toString('hex'), tokens: tokens ?? null }));
    await this.database.prepared(tx, 'put-encryption-keys', putSql, [accountId, JSON.stringify(rows)]);
  }

  /** Lists accounts without a key, by id, across all accounts. Only for the scheduled job. */
  async listAccountsWithout(limit: number): Promise<string[]> {
    if (this.database.isDistributed) return this.listKeyless(false, limit);
    const rows = await this.database.reads.query<{ id: string }[]>(withoutSql, [limit]);
    return rows.map(({ id }) => id);
  }

  /**
   * Lists accounts without a key on Citus, which cannot call `has_encrypted_records` for rows of several accounts.
   * @param hasRecords true for accounts with encrypted records, false for the others
   */
  private async listKeyless(hasRecords: boolean, limit: number): Promise<string[]> {
    const { reads } = this.database;
    const found: string[] = [];
    let page: { id: string }[];
    let after = '';
    do {
      page = await reads.query<{ id: string }[]>(keylessOnCitusSql, [after, limit]);
      for (const { id } of page) if ((await this.hasRecords(reads, id)) === hasRecords) found.push(id);
      after = page.at(-1)?.id ?? after;
    } while (page.length === limit && found.length < limit);
    return found.slice(0, limit);
  }

  /** Returns true if the account has encrypted records. */
  async hasRecords(tx: EntityManager, accountId: string): Promise<boolean> {
    const sql = 'SELECT has_encrypted_records($1) AS "hasRecords"';
    const [row] = await tx.query<{ hasRecords: boolean }[]>(sql, [accountId]);
    return row?.hasRecords ?? false;
  }

  /** Lists some accounts, or the owner `users`, that have encrypted records but no key. Only for the scheduled job. */
  async listLost(limit: number): Promise<string[]> {
    if (this.database.isDistributed) {
      const usersHaveLost =
        !(await this.findRoot(keysOfUsers)) && (await this.hasRecords(this.database.reads, keysOfUsers));
      return [...(await this.listKeyless(true, limit)), ...(usersHaveLost ? [keysOfUsers] : [])];
    }
    const rows = await this.database.reads.query<{ id: string }[]>(lostSql, [limit]);
    return rows.map(({ id }) => id);
  }

  /** Lists accounts that may have unencrypted records, by id, across all accounts. Only for scheduled jobs. */
  async listIncomplete(after: string, limit: number): Promise<string[]> {
    const rows = await this.database.reads.query<{ id: string }[]>(incompleteSql, [after, limit]);
    return rows.map(({ id }) => id);
  }

  async deleteOfAccount(tx: EntityManager, accountId: string): Promise<void> {
    await tx.query('DELETE FROM encryption_key WHERE account_id = $1', [accountId]);
  }
}

const findRootSql = `
  SELECT wrapped, completed_at IS NOT NULL AS "isComplete" FROM encryption_key WHERE account_id = $1 AND id = '${ROOT}'`;

/** SQL that lists the owners without a key. OFFSET 0 keeps Postgres from looking up the records of all accounts. */
const keyless = (owners: string) => `(
    SELECT id FROM ${owners} AS a WHERE NOT EXISTS (SELECT FROM encryption_key WHERE account_id = a.id AND id = '${ROOT}')
      AND NOT EXISTS (SELECT FROM account_deletion WHERE account_id = a.id AND began_at IS NOT NULL)
    ORDER BY id OFFSET 0
  ) AS keyless`;

const withoutSql = `SELECT id FROM ${keyless('account')} WHERE NOT has_encrypted_records(id) LIMIT $1`;

const lostSql = `
  SELECT id FROM ${keyless(`(SELECT id FROM account UNION ALL SELECT '${keysOfUsers}')`)}
  WHERE has_encrypted_records(id) LIMIT $1`;

const keylessOnCitusSql = `
  SELECT a.id FROM account a
  WHERE a.id > $1 AND NOT EXISTS (SELECT FROM encryption_key k WHERE k.account_id = a.id AND k.id = '${ROOT}')
    AND NOT EXISTS (SELECT FROM account_deletion d WHERE d.account_id = a.id AND d.began_at IS NOT NULL)
  ORDER BY a.id LIMIT $2`;

const incompleteSql = `
  SELECT account_id AS id FROM encryption_key
  WHERE account_id > $1 AND account_id <> '${keysOfUsers}' AND wrapped IS NOT NULL AND completed_at IS NULL
  ORDER BY account_id LIMIT $2`;

const putSql = `
  INSERT INTO encryption_key (account_id, id, salt, search)
  SELECT $1, id, decode(salt, 'hex'), array_to_tsvector(tokens)
  FROM json_to_recordset($2::json) AS k(id text, salt text, tokens text[])
  ON CONFLICT (account_id, id) DO UPDATE SET salt = excluded.salt, search = excluded.search
    WHERE (encryption_key.salt, encryption_key.search) IS DISTINCT FROM (excluded.salt, excluded.search)`;
