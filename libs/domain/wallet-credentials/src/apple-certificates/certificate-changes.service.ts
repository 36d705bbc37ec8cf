import { Injectable } from '@nestjs/common';
import { AuditLog, changesBetween } from '@passwright/accounts';
import type { ReadCertificate } from '@passwright/core';
import { Jobs } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import type { AppleCertificate } from './apple-certificate.entity.js';
import { AppleCertificateChanged } from './apple-certificates.jobs.js';
import type { ShownCertificate } from './certificate-description.js';

/** Updates the passes of an account after a change of its certificate, and records the change in the audit trail. */
@Injectable()
export class CertificateChangesService {
  constructor(
    private readonly jobs: Jobs,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * @param before the account's previous certificate. @param operator the operator's certificate, for accounts without
   * their own
   */
  async saved(
    tx: EntityManager,
    accountId: string,
    before: AppleCertificate | null,
    operator: ShownCertificate | null,
    now: ReadCertificate,
  ): Promise<void> {
    const shown = before ?? operator;
    const isSame =
      shown?.passTypeIdentifier === now.passTypeIdentifier &&
      shown.teamIdentifier === now.teamIdentifier &&
      shown.organizationName === now.organizationName;
    if (!isSame) await this.jobs.add(tx, new AppleCertificateChanged({ accountId }));
    const changes = changesBetween(before ? recorded(before) : {}, recorded(now));
    if (changes) await this.record(tx, accountId, 'appleCertificate.uploaded', changes);
  }

  async requested(tx: EntityManager, accountId: string): Promise<void> {
    await this.record(tx, accountId, 'appleCertificate.requested');
  }

  async removed(tx: EntityManager, before: AppleCertificate): Promise<void> {
    const { accountId } = before;
    await this.jobs.add(tx, new AppleCertificateChanged({ accountId }));
    await this.record(tx, accountId, 'appleCertificate.removed', { before: recorded(before) });
  }

  private record(tx: EntityManager, accountId: string, action: string, changes: object = {}): Promise<void> {
    return this.auditLog.record(tx, { accountId, action, target: { kind: 'appleCertificate' }, ...changes });
  }
}

function recorded({ fingerprint, passTypeIdentifier, expiresAt }: ShownCertificate): object {
  return { fingerprint, passTypeIdentifier, expiresAt };
}
