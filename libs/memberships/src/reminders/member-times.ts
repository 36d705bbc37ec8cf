import { Injectable } from '@nestjs/common';
import { AuditTrail } from '@passwright/accounts';
import { Clock } from '@passwright/core';
import { Database, Jobs } from '@passwright/database';
import { shareTemplate } from '@passwright/templates';
import type { EntityManager } from 'typeorm';
import { MemberPasses } from '../members/member-passes.js';
import { changedMember } from '../members/member-state.js';
import type { Member } from '../members/member.entity.js';
import type { MembershipSettings, Reminder } from '../settings/membership-settings.entity.js';
import { SettingsRepository } from '../settings/settings.repository.js';
import { DueMembersRepository, type MemberKey } from './due-members.repository.js';
import { nextDue, reminderDue } from './due-times.js';
import { MemberReminded } from './reminders.jobs.js';

/** Does what is due of one member, in one transaction with all that follows from it. */
@Injectable()
export class MemberTimes {
  constructor(
    private readonly database: Database,
    private readonly settings: SettingsRepository,
    private readonly members: DueMembersRepository,
    private readonly passes: MemberPasses,
    private readonly audit: AuditTrail,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /** Nothing when it is done already, or in somebody else's hands. */
  settle(key: MemberKey): Promise<void> {
    return this.database.transaction(async (tx) => {
      const settings = await this.settings.lockForShare(tx, key.accountId);
      await shareTemplate(tx, key.accountId, key.templateId);
      const now = this.clock.now();
      const member = await this.members.claim(tx, key, now);
      if (!settings || !member) return;
      if (member.expiresAt && member.expiresAt <= now) return this.expire(tx, member, settings, now);
      const reminder = reminderDue(member, settings, member.remindedUntil, now);
      if (reminder) return this.remind(tx, member, settings, reminder, now);
      await this.members.update(tx, { ...member, dueAt: nextDue(member, settings, now) });
    });
  }

  /** One that is neither active nor suspended has nothing to do with time. */
  private async expire(tx: EntityManager, before: Member, settings: MembershipSettings, now: Date): Promise<void> {
    const lapses = before.status === 'active' || before.status === 'suspended';
    if (!lapses) return this.members.update(tx, { ...before, dueAt: null });
    const member = changedMember(before, { status: 'expired', dueAt: null }, now);
    await this.members.update(tx, member);
    await this.audit.record(tx, {
      accountId: member.accountId,
      action: 'member.expired',
      target: { kind: 'member', id: String(member.id) },
    });
    // Last: it counts passes, which others then wait for.
    await this.passes.follow(tx, member, settings, now);
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
    await this.members.update(tx, member);
    await this.jobs.add(tx, new MemberReminded({ accountId, memberId, key, expiresAt: expiresAt.toISOString() }));
    // What the pass says of the end is another text after each reminder.
    await this.passes.follow(tx, member, settings, now);
  }
}
