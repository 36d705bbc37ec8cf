import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { AppleCertificateRequest } from './apple-certificate-request.entity.js';
import { AppleCertificate } from './apple-certificate.entity.js';

/** A certificate for signing, with its encrypted key. */
export type EncryptedCertificate = Pick<AppleCertificate, 'certificatePem' | 'intermediatePem' | 'privateKey'>;

@Injectable()
export class AppleCertificatesRepository {
  constructor(private readonly database: Database) {}

  find(accountId: string): Promise<AppleCertificate | null> {
    return this.database.reads.findOneBy(AppleCertificate, { accountId });
  }

  /** Finds an account's certificate. The cache calls this at most once a second per account. */
  async findEncrypted(accountId: string): Promise<EncryptedCertificate | null> {
    const [row] = await this.database.lookUp<EncryptedCertificate>(
      'apple-certificate',
      `SELECT certificate_pem AS "certificatePem", intermediate_pem AS "intermediatePem", private_key AS "privateKey"
       FROM apple_certificate WHERE account_id = $1`,
      [accountId],
    );
    return row ?? null;
  }

  findRequest(accountId: string): Promise<AppleCertificateRequest | null> {
    return this.database.reads.findOneBy(AppleCertificateRequest, { accountId });
  }

  findForChange(tx: EntityManager, accountId: string): Promise<AppleCertificate | null> {
    return tx.findOneBy(AppleCertificate, { accountId });
  }

  async upsert(tx: EntityManager, certificate: AppleCertificate): Promise<void> {
    await tx.upsert(AppleCertificate, certificate, ['accountId']);
  }

  async delete(tx: EntityManager, accountId: string): Promise<void> {
    await tx.delete(AppleCertificate, { accountId });
  }

  async upsertRequest(tx: EntityManager, request: AppleCertificateRequest): Promise<void> {
    await tx.upsert(AppleCertificateRequest, request, ['accountId']);
  }

  /** Deletes a certificate signing request. Does nothing if another request has replaced it. */
  async deleteRequest(tx: EntityManager, { accountId, createdAt }: AppleCertificateRequest): Promise<void> {
    await tx.delete(AppleCertificateRequest, { accountId, createdAt });
  }
}
