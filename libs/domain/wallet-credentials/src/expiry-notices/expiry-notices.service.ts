import { Injectable, Logger } from '@nestjs/common';
import { AccountAdmins } from '@passwright/accounts';
import { Clock } from '@passwright/core';
import { Database } from '@passwright/database';
import { Jobs } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { AppleCertificateExpiring } from '../apple-certificates/apple-certificates.jobs.js';
import { AppleCertificatesOptions } from '../apple-certificates.options.js';
import { expiryStage, noticeHorizon } from '../apple-certificates/expiry-stage.js';
import { ExpiryNoticesRepository, type EndingCertificate, type NoticeKey } from './expiry-notices.repository.js';
import { OperatorIdentityService } from '../apple-certificates/operator-identity.service.js';

const PAGE_SIZE = 200;
/** The account id of notices about the operator's certificate. */
const operatorAccount = '';

/** Notifies people before a certificate expires: 60, 30 and 7 days before, and at the expiry. */
@Injectable()
export class ExpiryNoticesService {
  private readonly logger = new Logger('AppleCertificates');

  constructor(
    private readonly repository: ExpiryNoticesRepository,
    private readonly admins: AccountAdmins,
    private readonly operator: OperatorIdentityService,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
    private readonly options: AppleCertificatesOptions,
  ) {}

  /**
   * Sends each notice once, across all nodes and restarts. If several notices were missed, sends only the last of them.
   */
  async notifyOfExpiry(): Promise<void> {
    await this.notifyOperator();
    const now = this.clock.now();
    for (let after: EndingCertificate | null = null; ;) {
      const page: EndingCertificate[] = await this.repository.listEnding(noticeHorizon(now), PAGE_SIZE, after);
      await this.database.transaction((tx) => this.notifyAdmins(tx, page, now));
      if (page.length < PAGE_SIZE) return;
      after = page.at(-1) ?? null;
    }
  }

  /**
   * Stores the notices and adds the jobs that send the mails, in one transaction. Each recipient gets a separate job,
   * because each mail may fail.
   */
  private async notifyAdmins(tx: EntityManager, ending: readonly EndingCertificate[], now: Date): Promise<void> {
    const notices = ending.flatMap((certificate) => noticeOf(certificate, now) ?? []);
    const inserted = await this.repository.insertNew(tx, notices, now);
    const news = new Map(inserted.map(({ accountId, key }) => [accountId, key]));
    const fingerprints = new Map(ending.map(({ accountId, fingerprint }) => [accountId, fingerprint]));
    const admins = await this.admins.listAll(tx, [...news.keys()]);
    const jobs = admins.map(({ accountId, uid }) => {
      const [fingerprint = '', notice = ''] = [fingerprints.get(accountId), news.get(accountId)];
      return new AppleCertificateExpiring({ accountId, uid, fingerprint, notice });
    });
    await this.jobs.addMany(tx, jobs);
  }

  private async notifyOperator(): Promise<void> {
    const now = this.clock.now();
    const { identity, problem } = await this.operator.current();
    // A development certificate is renewed automatically.
    if (identity?.development) return;
    if (!identity) {
      this.logger.error(`The operator's Apple Wallet certificate cannot be used: ${problem ?? 'there is none'}`);
      return;
    }
    const notice = noticeOf({ ...identity, accountId: operatorAccount }, now);
    if (!notice) return;
    const { fingerprint } = identity;
    const job = new AppleCertificateExpiring({
      accountId: operatorAccount,
      uid: null,
      fingerprint,
      notice: notice.key,
    });
    const isNew = await this.database.transaction(async (tx) => {
      const [inserted] = await this.repository.insertNew(tx, [notice], now);
      if (inserted && this.options.operatorEmail) await this.jobs.add(tx, job);
      return inserted !== undefined;
    });
    if (isNew) this.warn(identity.passTypeIdentifier, identity.expiresAt);
  }

  private warn(passTypeIdentifier: string, expiresAt: Date): void {
    this.logger.warn(
      `The operator's Apple Wallet certificate of "${passTypeIdentifier}" ends on ${expiresAt.toISOString()}: renew it. ` +
        (this.options.operatorEmail
          ? 'The operator is notified by e-mail.'
          : 'No e-mail address of the operator is configured.'),
    );
  }
}

function noticeOf({ accountId, fingerprint, expiresAt }: EndingCertificate, now: Date): NoticeKey | null {
  const stage = expiryStage(expiresAt, now);
  return stage && { accountId, key: `apple-certificate:${fingerprint}:${stage}` };
}
