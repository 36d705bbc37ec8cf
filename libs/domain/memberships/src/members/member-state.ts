import type { MembershipSettings } from '../settings/membership-settings.entity.js';
import { nextDue } from './reminder-schedule.js';
import { Member, type MemberStatus } from './member.entity.js';

/**
 * The status of a member at a time. One that is stored as active or suspended is expired from its expiry on, also before
 * that is noted: its pass, which has the same expiry, says so from then on too.
 */
export function statusAt({ status, expiresAt }: Pick<Member, 'status' | 'expiresAt'>, now: Date): MemberStatus {
  const lapses = status === 'active' || status === 'suspended';
  return lapses && expiresAt && expiresAt <= now ? 'expired' : status;
}

/** A member after changes, counted. */
export function changedMember(member: Member, changes: Partial<Member>, now: Date): Member {
  return Object.assign(new Member(), member, changes, { version: member.version + 1, updatedAt: now });
}

/** What begins a new term: reminders are sent anew, those that would have been due before are not. */
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
