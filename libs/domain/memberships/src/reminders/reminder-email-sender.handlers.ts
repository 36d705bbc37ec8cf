import { Injectable, Logger } from '@nestjs/common';
import { AuditLog, KeyMissing } from '@passwright/accounts';
import { Clock, loggedError, MailRejected } from '@passwright/core';
import { Database } from '@passwright/database';
import { type JobContext, JobHandler } from '@passwright/jobs';
import { HolderMailer } from '@passwright/pass-distribution';
import { isUnread } from '../members/member-encryption.service.js';
import type { Member } from '../members/member.entity.js';
import { MembersRepository } from '../members/members.repository.js';
import { ReminderEmailTemplateService } from './reminder-email-template.service.js';
import { MemberReminded } from './reminders.jobs.js';

type Payload = MemberReminded['payload'];

/** Sends reminder e-mails. */
@Injectable()
export class ReminderEmailSender {
  private readonly logger = new Logger('Memberships');

  constructor(
    private readonly database: Database,
    private readonly members: MembersRepository,
    private readonly template: ReminderEmailTemplateService,
    private readonly mailer: HolderMailer,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends the mail with the member's current data, or nothing if the reminder no longer applies. If the process is
   * killed after sending, the mail is sent again under the same id.
   */
  @JobHandler(MemberReminded)
  async deliver(payload: Payload, { signal }: JobContext): Promise<void> {
    signal.throwIfAborted();
    const member = await this.members.find(payload.accountId, payload.memberId);
    if (!member || !isOfUse(member, payload, this.clock.now())) return;
    // The error makes the job retry until the key is restored. For an erased member, the job finally fails.
    if (isUnread(member)) throw new KeyMissing();
    const mail = await this.template.write(member, new Date(payload.expiresAt));
    if (!mail) return;
    const id = `member-reminder:${member.accountId}/${member.id}/${payload.key}/${payload.expiresAt}`;
    try {
      await this.mailer.send(member.accountId, { id, to: member.email, ...mail });
    } catch (error) {
      if (!(error instanceof MailRejected)) throw error;
      await this.noteRejection(payload, error);
    }
  }

  /** Records a permanent rejection, so that the account's admins can see it. */
  private async noteRejection({ accountId, memberId, key }: Payload, error: MailRejected): Promise<void> {
    const entry = {
      accountId,
      action: 'member.reminder_refused',
      target: { kind: 'member', id: String(memberId) },
      after: { reminder: key, problem: error.message },
    };
    await this.database.transaction((tx) => this.auditLog.record(tx, entry));
    this.logger.warn(
      `The reminder ${key} of member ${memberId} of ${accountId} was given up: ${loggedError(error).message}`,
    );
  }
}

/** Returns true if the reminder is still the latest one of the member's current term. */
function isOfUse({ status, expiresAt, remindersSent }: Member, payload: Payload, now: Date): boolean {
  if (status !== 'active' || !expiresAt || expiresAt <= now) return false;
  const sentAt = remindersSent[payload.key];
  if (sentAt === undefined || expiresAt.toISOString() !== payload.expiresAt) return false;
  return Object.values(remindersSent).every((other) => other <= sentAt);
}
