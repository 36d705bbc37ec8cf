import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AccountsService } from '@passwright/accounts';
import { MAX_CLOCK_DIFFERENCE_MS, RateLimited } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { PassDistributionOptions } from '../pass-distribution.options.js';
import { MailLimitsRepository } from './mail-limits.repository.js';
import type { PassMailRow } from './pass-mail.entity.js';
import { PassMailsRepository } from './pass-mails.repository.js';

/** Maximum number of mails about one pass in an hour. */
const mostOfPass = 10;
const mostToRecipient = 5;
/** How long a mail counts towards the limits per pass and per recipient. */
export const countedMs = 3_600_000;
const dayMs = 24 * 3_600_000;

/**
 * Limits the mails of an account: per pass, per recipient, and per day for all accounts of its founder. The deletion of
 * a pass resets only the limit per pass.
 */
@Injectable()
export class MailLimitsService {
  constructor(
    private readonly repository: MailLimitsRepository,
    private readonly mails: PassMailsRepository,
    private readonly accounts: AccountsService,
    private readonly options: PassDistributionOptions,
  ) {}

  /**
   * Counts a mail of a locked pass. Locks the recipient and, if there is a daily limit, the day. `tx` must not take
   * other locks afterwards.
   * @throws RateLimited if a limit is exceeded
   */
  async count(tx: EntityManager, mail: PassMailRow): Promise<void> {
    const { accountId, id, createdAt, passId } = mail;
    // Ignore mails from the future, which come from a wrong clock.
    const end = new Date(createdAt.getTime() + MAX_CLOCK_DIFFERENCE_MS);
    const tenth = await this.mails.nthLast(tx, mail, mostOfPass, end);
    rejectUntil(
      after(tenth, countedMs),
      createdAt,
      `Pass "${passId}" was sent ${mostOfPass} times within an hour, which is the most`,
    );
    const recipientHash = this.hashOf(mail);
    await this.repository.lockRecipient(tx, accountId, recipientHash);
    const fifth = await this.repository.nthLastTo(tx, accountId, recipientHash, mostToRecipient, end);
    rejectUntil(
      after(fifth, countedMs),
      createdAt,
      `${mostToRecipient} mails were sent to this address within an hour, which is the most`,
    );
    await this.repository.insertRecipient(tx, { accountId, recipientHash, sentAt: createdAt, mailId: id });
    await this.countOfDay(tx, mail);
  }

  /** Resets the limit for an e-mail address. Mails already sent still count for their day. */
  async forgetRecipient(tx: EntityManager, accountId: string, recipient: string): Promise<void> {
    await this.repository.deleteRecipient(tx, accountId, this.hashOf({ accountId, recipient }));
  }

  private async countOfDay(tx: EntityManager, { accountId, createdAt }: PassMailRow): Promise<void> {
    const most = this.options.mailsPerDay ?? 0;
    if (most === 0) return;
    const day = new Date(createdAt.getTime() - (createdAt.getTime() % dayMs));
    const together = await this.accounts.listOfSameFounder(accountId, tx);
    const [oldest = accountId] = together;
    await this.repository.lockDay(tx, oldest);
    if (await this.repository.countOfDay(tx, { accountId, together, day, most })) return;
    const sent = `The account, with others of its founder, has sent ${most} mails today (UTC), which is the most`;
    rejectUntil(after(day, dayMs), createdAt, sent);
  }

  /** Returns a keyed hash of the e-mail address, the same for every spelling of it. */
  private hashOf({ accountId, recipient }: Pick<PassMailRow, 'accountId' | 'recipient'>): Buffer {
    const text = `mail recipient\n${accountId}\n${recipient.toLowerCase()}`;
    return createHmac('sha256', this.options.recipientHashSecret).update(text).digest();
  }
}

function after(date: Date | null, ms: number): Date | null {
  return date && new Date(date.getTime() + ms);
}

function rejectUntil(end: Date | null, now: Date, reason: string): void {
  const waitMs = end ? end.getTime() - now.getTime() : 0;
  if (waitMs > 0) throw new RateLimited(`${reason}; wait as Retry-After says.`, Math.ceil(waitMs / 1000));
}
