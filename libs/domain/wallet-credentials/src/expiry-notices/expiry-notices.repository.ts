import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';

/** A certificate for which a notice may be due. */
export interface EndingCertificate {
  readonly accountId: string;
  readonly fingerprint: string;
  readonly expiresAt: Date;
}

export interface NoticeKey {
  readonly accountId: string;
  readonly key: string;
}

@Injectable()
export class ExpiryNoticesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Lists certificates of all accounts, earliest expiry first. @param after the last certificate of the previous page
   */
  listEnding(before: Date, limit: number, after: EndingCertificate | null): Promise<EndingCertificate[]> {
    return this.database.reads.query(
      `SELECT account_id AS "accountId", fingerprint, expires_at AS "expiresAt" FROM apple_certificate
       WHERE expires_at <= $1 AND (expires_at, account_id) > ($2, $3)
       ORDER BY expires_at, account_id LIMIT $4`,
      [before, after?.expiresAt ?? '-infinity', after?.accountId ?? '', limit],
    );
  }

  /** Inserts notices. @returns the new notices; only one of several simultaneous calls gets each new notice */
  async insertNew(tx: EntityManager, notices: readonly NoticeKey[], sentAt: Date): Promise<NoticeKey[]> {
    return tx.query<NoticeKey[]>(
      `INSERT INTO notice (account_id, key, sent_at)
       SELECT account_id, key, $3 FROM unnest($1::text[], $2::text[]) AS new (account_id, key)
       ORDER BY account_id, key
       ON CONFLICT DO NOTHING RETURNING account_id AS "accountId", key`,
      [notices.map(({ accountId }) => accountId), notices.map(({ key }) => key), sentAt],
    );
  }
}
