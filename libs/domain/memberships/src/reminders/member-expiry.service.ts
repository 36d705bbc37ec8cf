import { Injectable } from '@nestjs/common';
import { AuditTrail } from '@passwright/accounts';
import { Clock } from '@passwright/core';
import { Database } from '@passwright/database';
import { Jobs } from '@passwright/jobs';
import { shareTemplate } from '@passwright/templates';
import type { EntityManager } from 'typeorm';
import { MemberPassesService } from '../members/member-passes.service.js';
import { changedMember } from '../members/member-state.js';
import type { Member } from '../members/member.entity.js';
import type { MembershipSettings, Reminder } from '../settings/membership-settings.entity.js';
import { SettingsRepository } from '../settings/settings.repository.js';
import { doneUntil, nextDue, reminderDue } from '../members/reminder-schedule.js';
import { DueMembersRepository, type MemberKey } from './due-members.repository.js';
import { MemberReminded } from './reminders.jobs.js';

/** Does what is due of members, in one transaction with all that follows from it. */
@Injectable()
export class MemberExpiryService {
  constructor(
    private readonly database: Database,
    private readonly settings: SettingsRepository,
    private readonly members: DueMembersRepository,
    private readonly passes: MemberPassesService,
    private readonly audit: AuditTrail,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /** Nothing when it is done already, or in somebody else's hands. */
  settle(key: MemberKey): Promise<void> {
    return this.database.transaction(async (tx) => {
      const settings = await this.settings.lockForShare(tx, key.accountId);
      await shareTemplate(tx, key.accountId, key.templateId);
      const member = await this.members.claim(tx, key, this.clock.now());
      // The claim has waited for the template, maybe for long.
      const now = this.clock.now();
      if (!settings || !member) return;
      if (member.expiresAt && member.expiresAt <= now) return this.expire(tx, [member], settings, now);
      const reminder = reminderDue(member, settings, doneUntil(member, settings), now);
      if (reminder) return this.remind(tx, member, settings, reminder, now);
      await this.members.updateMany(tx, [{ ...member, dueAt: nextDue(member, settings, now) }]);
    });
  }

  /**
   * Lets members expire, all in one transaction or none: each statement of it is one for all of them.
   * @param keys of one account and one template, their expiries passed; who is done already, or in somebody else's hands,
   * is left out
   */
  expireMany(keys: readonly MemberKey[]): Promise<void> {
    return this.database.transaction(async (tx) => {
      const [first] = keys;
      if (!first) return;
      const settings = await this.settings.lockForShare(tx, first.accountId);
      await shareTemplate(tx, first.accountId, first.templateId);
      const ids = keys.map(({ id }) => id);
      const members = await this.members.claimExpired(tx, first.accountId, ids, this.clock.now());
      const now = this.clock.now();
      if (settings) await this.expire(tx, members, settings, now);
    });
  }

  private async expire(
    tx: EntityManager,
    members: readonly Member[],
    settings: MembershipSettings,
    now: Date,
  ): Promise<void> {
    const lapsing = members.filter(({ status }) => status === 'active' || status === 'suspended');
    const expired = lapsing.map((member) => changedMember(member, { status: 'expired', dueAt: null }, now));
    // Who is neither has nothing to do with time.
    const others = members.filter((member) => !lapsing.includes(member));
    await this.members.updateMany(tx, [...expired, ...others.map((member) => ({ ...member, dueAt: null }))]);
    await this.audit.recordMany(
      tx,
      expired.map(({ accountId, id }) => {
        return { accountId, action: 'member.expired', target: { kind: 'member', id: String(id) } };
      }),
    );
    // Last: it counts passes, which others then wait for.
    await this.passes.followMany(tx, expired, settings, now);
  }

  private async remind(
    tx: EntityManager,
    before: Member,
    settings: MembershipSettings,
    { key }: Reminder,
    now: Date,
  ): Promise<void> {
    const { accountId, id: memberId, expiresAt } = before;
    if (!expiresAt) return;
    const remindersSent = { ...before.remindersSent, [key]: now.toISOString() };
    const dueAt = nextDue({ ...before, remindersSent }, settings, now);
    const member = changedMember(before, { remindersSent, remindedUntil: now, dueAt }, now);
    await this.members.updateMany(tx, [member]);
    await this.jobs.add(tx, new MemberReminded({ accountId, memberId, key, expiresAt: expiresAt.toISOString() }));
    // What the pass says of the end is another text after each reminder.
    await this.passes.follow(tx, member, settings, now, key);
  }
}
