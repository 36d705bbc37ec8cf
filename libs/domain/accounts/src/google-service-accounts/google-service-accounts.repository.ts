import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { StoredServiceAccount } from './stored-service-account.entity.js';

/** A service account as it is used, its key sealed. */
export type SealedServiceAccount = Pick<
  StoredServiceAccount,
  'issuerId' | 'clientEmail' | 'privateKeyId' | 'privateKey'
>;

/** Google refuses a credential. */
export interface GoogleHalt {
  readonly reason: string;
  readonly since: Date;
  readonly retryAt: Date;
}

@Injectable()
export class GoogleServiceAccountsRepository {
  constructor(private readonly database: Database) {}

  find(accountId: string): Promise<StoredServiceAccount | null> {
    return this.database.reads.findOneBy(StoredServiceAccount, { accountId });
  }

  /** At most once a second for each account whose passes are written. */
  async findSealed(accountId: string): Promise<SealedServiceAccount | null> {
    const [row] = await this.database.lookUp<SealedServiceAccount>(
      'google-service-account',
      `SELECT issuer_id AS "issuerId", client_email AS "clientEmail", private_key_id AS "privateKeyId",
         private_key AS "privateKey"
       FROM google_service_account WHERE account_id = $1`,
      [accountId],
    );
    return row ?? null;
  }

  /** Of the credential for all who use it, or of this account's writes with it. */
  async findHalt(accountId: string, fingerprint: string): Promise<GoogleHalt | null> {
    const [halt] = await this.database.reads.query<GoogleHalt[]>(
      `SELECT reason, since, retry_at AS "retryAt" FROM google_halt
       WHERE account_id IN ('', $1) AND fingerprint = $2 ORDER BY account_id LIMIT 1`,
      [accountId, fingerprint],
    );
    return halt ?? null;
  }

  /** Lets one change of an account's credential through at a time, and no resource be added meanwhile: its row refers to the account's. */
  async lockAccount(tx: EntityManager, accountId: string): Promise<void> {
    await tx.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [accountId]);
  }

  findForChange(tx: EntityManager, accountId: string): Promise<StoredServiceAccount | null> {
    return tx.findOneBy(StoredServiceAccount, { accountId });
  }

  async upsert(tx: EntityManager, serviceAccount: StoredServiceAccount): Promise<void> {
    await tx.upsert(StoredServiceAccount, serviceAccount, ['accountId']);
  }

  /** @returns whether there was one */
  async delete(tx: EntityManager, accountId: string): Promise<boolean> {
    const { affected } = await tx.delete(StoredServiceAccount, { accountId });
    return affected === 1;
  }

  /** An issuer other than this one under which something of the account is at Google, if there is one. */
  async findOtherIssuer(tx: EntityManager, accountId: string, issuerId: string): Promise<string | null> {
    const [row] = await tx.query<{ issuerId: string }[]>(
      `SELECT issuer_id AS "issuerId" FROM google_resource
       WHERE account_id = $1 AND (issuer_id < $2 OR issuer_id > $2) AND sent_hash IS NOT NULL LIMIT 1`,
      [accountId, issuerId],
    );
    return row?.issuerId ?? null;
  }
}
