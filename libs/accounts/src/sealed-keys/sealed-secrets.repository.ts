import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import type { KeyPurpose } from './sealed-keys.js';

/** Where the sealed keys of each purpose are. */
const tables: Record<KeyPurpose, string> = {
  'apple-certificate': 'apple_certificate',
  'apple-certificate-request': 'apple_certificate_request',
  'google-service-account': 'google_service_account',
};

/** The id of the master key that bytes are sealed under: after the version and the id's length. */
const keyIdBytes = 'substring(private_key FROM 3 FOR get_byte(private_key, 1))';

/** A sealed key with its owner. */
export interface SealedSecret {
  readonly accountId: string;
  readonly privateKey: Buffer;
}

@Injectable()
export class SealedSecretsRepository {
  constructor(private readonly database: Database) {}

  /** The ids of the master keys in use, with the number of accounts that have secrets under each. */
  countByKey(): Promise<{ keyId: string; accounts: number }[]> {
    const all = Object.values(tables).map((table) => `SELECT account_id, ${keyIdBytes} AS key_id FROM ${table}`);
    return this.database.reads.query(
      `SELECT convert_from(key_id, 'LATIN1') AS "keyId", count(DISTINCT account_id)::int AS accounts
       FROM (${all.join(' UNION ALL ')}) AS sealed GROUP BY key_id ORDER BY key_id`,
    );
  }

  /** Secrets under other master keys, locked; those that somebody else has locked are left for the next time. */
  listUnderOthers(
    tx: EntityManager,
    purpose: KeyPurpose,
    keyId: string,
    page: { readonly after: string; readonly limit: number },
  ): Promise<SealedSecret[]> {
    return tx.query(
      `SELECT account_id AS "accountId", private_key AS "privateKey" FROM ${tables[purpose]}
       WHERE account_id > $1 AND ${keyIdBytes} <> convert_to($2, 'LATIN1')
       ORDER BY account_id LIMIT $3 FOR UPDATE SKIP LOCKED`,
      [page.after, keyId, page.limit],
    );
  }

  async update(tx: EntityManager, purpose: KeyPurpose, { accountId, privateKey }: SealedSecret): Promise<void> {
    await tx.query(`UPDATE ${tables[purpose]} SET private_key = $2 WHERE account_id = $1`, [accountId, privateKey]);
  }
}
