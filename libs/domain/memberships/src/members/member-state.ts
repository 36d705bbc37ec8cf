import type { MembershipSettings } from '../settings/membership-settings.entity.js';
import { nextDue } from './reminder-schedule.js';
import { Member, type MemberStatus } from './member.entity.js';

/**
 * Returns the status of a member at a time. An active or suspended member counts as expired from its expiry on, even
 * before the job stores the new status. The pass has the same expiry, so it also shows as expired.
 */
export function statusAt({ status, expiresAt }: Pick<Member, 'status' | 'expiresAt'>, now: Date): MemberStatus {
  const lapses = status === 'active' || status === 'suspended';
  return lapses && expiresAt && expiresAt <= now ? 'expired' : status;
}

/** Applies changes to a member and increments its version. */
export function changedMember(member: Member, changes: Partial<Member>, now: Date): Member {
  return Object.assign(new Member(), member, changes, { version: member.version + 1, updatedAt: now });
}

/**
 * Returns the changes that begin a new term. In the new term all reminders are sent again, except those whose time has
 * passed.
 */
export function newTerm(
  term: Pick<Member, 'status' | 'expiresAt'>,
  settings: Pick<MembershipSettings, 'reminders' | 'timeZone'>,
  now: Date,
): Pick<Member, 'status' | 'expiresAt' | 'remindersSent' | 'remindedUntil' | 'dueAt'> {
  const { status, expiresAt } = term;
  return {
    status,
    expiresAt,
    remindersSent: {},
    remindedUntil: now,
    dueAt: nextDue({ status, expiresAt }, settings, now),
  };
}
