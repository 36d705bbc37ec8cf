import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { StoredServiceAccount } from './stored-service-account.entity.js';

/** A service account for writing, with its encrypted key. */
export type EncryptedServiceAccount = Pick<
  StoredServiceAccount,
  'issuerId' | 'clientEmail' | 'privateKeyId' | 'privateKey'
>;

@Injectable()
export class GoogleServiceAccountsRepository {
  constructor(private readonly database: Database) {}

  find(accountId: string): Promise<StoredServiceAccount | null> {
    return this.database.reads.findOneBy(StoredServiceAccount, { accountId });
  }

  /** Finds an account's service account. The cache calls it at most once a second per account. */
  async findEncrypted(accountId: string): Promise<EncryptedServiceAccount | null> {
    const [row] = await this.database.lookUp<EncryptedServiceAccount>(
      'google-service-account',
      `SELECT issuer_id AS "issuerId", client_email AS "clientEmail", private_key_id AS "privateKeyId",
         private_key AS "privateKey"
       FROM google_service_account WHERE account_id = $1`,
      [accountId],
    );
    return row ?? null;
  }

  findForChange(tx: EntityManager, accountId: string): Promise<StoredServiceAccount | null> {
    return tx.findOneBy(StoredServiceAccount, { accountId });
  }

  async upsert(tx: EntityManager, serviceAccount: StoredServiceAccount): Promise<void> {
    await tx.upsert(StoredServiceAccount, serviceAccount, ['accountId']);
  }

  /** @returns true if the account had a service account */
  async delete(tx: EntityManager, accountId: string): Promise<boolean> {
    const { affected } = await tx.delete(StoredServiceAccount, { accountId });
    return affected === 1;
  }
}
