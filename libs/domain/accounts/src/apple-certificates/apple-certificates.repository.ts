import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { AppleCertificateRequest } from './apple-certificate-request.entity.js';
import { AppleCertificate } from './apple-certificate.entity.js';

/** A certificate as it is used for signing, its key sealed. */
export type SealedCertificate = Pick<AppleCertificate, 'certificatePem' | 'intermediatePem' | 'privateKey'>;

/** The push service refuses a certificate. */
export interface PushHalt {
  readonly reason: string;
  readonly since: Date;
  readonly retryAt: Date;
}

@Injectable()
export class AppleCertificatesRepository {
  constructor(private readonly database: Database) {}

  find(accountId: string): Promise<AppleCertificate | null> {
    return this.database.reads.findOneBy(AppleCertificate, { accountId });
  }

  /** At most once a second for each account whose passes are signed. */
  async findSealed(accountId: string): Promise<SealedCertificate | null> {
    const [row] = await this.database.lookUp<SealedCertificate>(
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

  /** Of the certificate for all who use it, or of this account's pushes with it. */
  async findHalt(accountId: string, fingerprint: string): Promise<PushHalt | null> {
    const [halt] = await this.database.reads.query<PushHalt[]>(
      `SELECT reason, since, retry_at AS "retryAt" FROM apple_push_halt
       WHERE account_id IN ('', $1) AND fingerprint = $2 ORDER BY account_id LIMIT 1`,
      [accountId, fingerprint],
    );
    return halt ?? null;
  }

  /**
   * Lets one change of an account's certificate through at a time, and no device register meanwhile: its row refers to
   * the account's, so that what is registered is counted exactly.
   */
  async lockAccount(tx: EntityManager, accountId: string): Promise<{ readonly name: string }> {
    const [account] = await tx.query<{ name: string }[]>('SELECT name FROM account WHERE id = $1 FOR UPDATE', [
      accountId,
    ]);
    if (!account) throw new Error(`there is no account ${accountId}`);
    return account;
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

  /** Harmless when another one has taken its place. */
  async deleteRequest(tx: EntityManager, { accountId, createdAt }: AppleCertificateRequest): Promise<void> {
    await tx.delete(AppleCertificateRequest, { accountId, createdAt });
  }

  /** How many devices are registered for passes of this pass type. */
  async countDevices(tx: EntityManager, accountId: string, passTypeIdentifier: string): Promise<number> {
    const [row] = await tx.query<{ count: number }[]>(
      'SELECT count(*)::int AS count FROM apple_device WHERE account_id = $1 AND pass_type_identifier = $2',
      [accountId, passTypeIdentifier],
    );
    return row?.count ?? 0;
  }

  /** A pass type other than this one that devices are registered under, if there is one. */
  async findOtherPassType(tx: EntityManager, accountId: string, passTypeIdentifier: string): Promise<string | null> {
    const [row] = await tx.query<{ passType: string }[]>(
      `SELECT pass_type_identifier AS "passType" FROM apple_device
       WHERE account_id = $1 AND pass_type_identifier <> $2 LIMIT 1`,
      [accountId, passTypeIdentifier],
    );
    return row?.passType ?? null;
  }
}
