import { Injectable } from '@nestjs/common';
import { AuditLog } from '@passwright/accounts';
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

/** Applies a member's due changes and all their effects in one transaction. */
@Injectable()
export class DueMembersService {
  constructor(
    private readonly database: Database,
    private readonly settings: SettingsRepository,
    private readonly members: DueMembersRepository,
    private readonly passes: MemberPassesService,
    private readonly auditLog: AuditLog,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /** Expires or reminds a member. Does nothing if another transaction has done so or has locked the member. */
  settle(key: MemberKey): Promise<void> {
    return this.database.transaction(async (tx) => {
      const settings = await this.settings.lockForShare(tx, key.accountId);
      await shareTemplate(tx, key.accountId, key.templateId);
      const member = await this.members.claim(tx, key, this.clock.now());
      // Read the time only now, because the lock on the template may have taken long.
      const now = this.clock.now();
      if (!settings || !member) return;
      if (member.expiresAt && member.expiresAt <= now) return this.expire(tx, [member], settings, now);
      const reminder = reminderDue(member, settings, doneUntil(member, settings), now);
      if (reminder) return this.remind(tx, member, settings, reminder, now);
      await this.members.updateMany(tx, [{ ...member, dueAt: nextDue(member, settings, now) }]);
    });
  }

  /**
   * Expires members in one transaction, with the same few statements for any number of members.
   * @param keys expired members of one account and one template; skips members that are done or that another
   * transaction has locked
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
    // Members with other statuses do not expire, so only clear their due time.
    const others = members.filter((member) => !lapsing.includes(member));
    await this.members.updateMany(tx, [...expired, ...others.map((member) => ({ ...member, dueAt: null }))]);
    await this.auditLog.recordMany(
      tx,
      expired.map(({ accountId, id }) => {
        return { accountId, action: 'member.expired', target: { kind: 'member', id: String(id) } };
      }),
    );
    // Update the passes last, because this locks the pass counters and makes other transactions wait.
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
    // Update the pass, because its notice has a new text after each reminder.
    await this.passes.follow(tx, member, settings, now, key);
  }
}
