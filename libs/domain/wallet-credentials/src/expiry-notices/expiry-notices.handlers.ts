import { Injectable } from '@nestjs/common';
import { AccountAdmins } from '@passwright/accounts';
import { Clock, Mailer } from '@passwright/core';
import { JobHandler } from '@passwright/jobs';
import { AppleCertificateExpiring, ExpiryCheckDue } from '../apple-certificates/apple-certificates.jobs.js';
import { AppleCertificatesOptions } from '../apple-certificates.options.js';
import { AppleCertificatesRepository } from '../apple-certificates/apple-certificates.repository.js';
import type { ShownCertificate } from '../apple-certificates/certificate-description.js';
import { expiryMail } from './expiry-mail.js';
import { ExpiryNoticesService } from './expiry-notices.service.js';
import { OperatorIdentityService } from '../apple-certificates/operator-identity.service.js';

/** Sends mails about certificates that expire soon. */
@Injectable()
export class ExpiryNoticesHandlers {
  constructor(
    private readonly mailer: Mailer,
    private readonly certificates: AppleCertificatesRepository,
    private readonly admins: AccountAdmins,
    private readonly operator: OperatorIdentityService,
    private readonly clock: Clock,
    private readonly options: AppleCertificatesOptions,
    private readonly notices: ExpiryNoticesService,
  ) {}

  /** Sends one notice. Skips it if the certificate was replaced or the recipient is no longer an admin. */
  @JobHandler(AppleCertificateExpiring)
  async notify({ accountId, uid, fingerprint, notice }: AppleCertificateExpiring['payload']): Promise<void> {
    const certificate = await this.certificateOf(accountId);
    const reader = uid === null ? this.operatorsReader() : await this.admins.find(accountId, uid);
    if (!reader || certificate?.fingerprint !== fingerprint) return;
    const { email, accountName } = reader;
    const mail = expiryMail({ ...certificate, accountName, baseUrl: this.options.baseUrl }, this.clock.now());
    await this.mailer.send({ id: `${notice}:${uid ?? 'operator'}`, to: email, ...mail });
  }

  /**
   * Runs jobs that earlier versions queued under the former name of the schedule. Without a handler, they would stay in
   * the queue forever.
   */
  @JobHandler(ExpiryCheckDue)
  notifyOfExpiry(): Promise<void> {
    return this.notices.notifyOfExpiry();
  }

  private async certificateOf(accountId: string): Promise<ShownCertificate | null> {
    if (accountId !== '') return this.certificates.find(accountId);
    return (await this.operator.current()).identity;
  }

  private operatorsReader(): { email: string; accountName: null } | null {
    const { operatorEmail: email } = this.options;
    return email ? { email, accountName: null } : null;
  }
}
