import { Injectable } from '@nestjs/common';
import { Listens } from '@passwright/core';
import { Database } from '@passwright/database';
import { GoogleIssuerListener, type GoogleHalt } from '@passwright/wallet-credentials';
import type { EntityManager } from 'typeorm';

/** Reports how an account's issuer is used and whether Google accepts writes with its credential. */
@Injectable()
@Listens(GoogleIssuerListener)
export class IssuerUseListener extends GoogleIssuerListener {
  constructor(private readonly database: Database) {
    super();
  }

  async findOtherIssuer(tx: EntityManager, accountId: string, issuerId: string): Promise<string | null> {
    const [row] = await tx.query<{ issuerId: string }[]>(
      `SELECT issuer_id AS "issuerId" FROM google_resource
       WHERE account_id = $1 AND (issuer_id < $2 OR issuer_id > $2) AND sent_hash IS NOT NULL LIMIT 1`,
      [accountId, issuerId],
    );
    return row?.issuerId ?? null;
  }

  async findHalt(accountId: string, fingerprint: string): Promise<GoogleHalt | null> {
    const [halt] = await this.database.reads.query<GoogleHalt[]>(
      `SELECT reason, since, retry_at AS "retryAt" FROM google_halt
       WHERE account_id IN ('', $1) AND fingerprint = $2 ORDER BY account_id LIMIT 1`,
      [accountId, fingerprint],
    );
    return halt ?? null;
  }
}
