import { DateTime } from 'luxon';
import type { MembershipSettings, Reminder } from '../settings/membership-settings.entity.js';
import type { Member } from './member.entity.js';

/** Reminders that were sent in this term are not sent again, whatever became of their days since. */
type Term = Pick<Member, 'status' | 'expiresAt'> & Partial<Pick<Member, 'remindersSent'>>;
type Rules = Pick<MembershipSettings, 'reminders' | 'timeZone'>;

/**
 * When a reminder is due: so many calendar days before, at the same time of day there, whatever clocks do in between. A
 * time that clocks leave out that day is as much later; on a day that a zone leaves out it is the day before that.
 */
export function reminderTime(expiresAt: Date, { daysBefore }: Pick<Reminder, 'daysBefore'>, timeZone: string): Date {
  const end = DateTime.fromJSDate(expiresAt, { zone: timeZone });
  const before = (days: number) => end.minus({ days }).toJSDate();
  const time = before(daysBefore);
  // Samoa had no 30 December 2011: that is where the day after would be.
  return time < before(daysBefore - 1) ? time : before(daysBefore + 1);
}

/**
 * When there is next something to do for a member by itself.
 * @param after reminders up to then are done with
 * @returns while it is active the next reminder after that, or the expiry when that is first; while it is suspended the
 * expiry alone; null without an expiry, and in any other status
 */
export function nextDue(term: Term, rules: Rules, after: Date): Date | null {
  const { status, expiresAt } = term;
  if (!expiresAt || (status !== 'active' && status !== 'suspended')) return null;
  const times = [...comingAfter(term, rules, after).map(([, time]) => time), expiresAt];
  return new Date(Math.min(...times.map((time) => time.getTime())));
}

/**
 * Up to when reminders of a member are done with. What new settings would have sent before they came is not sent late,
 * unless the member was due at that moment already: by the old ones, and it was not done yet.
 */
export function doneUntil(
  { remindedUntil, dueAt }: Pick<Member, 'remindedUntil' | 'dueAt'>,
  { remindersSince }: Pick<MembershipSettings, 'remindersSince'>,
): Date {
  const wasDue = dueAt !== null && dueAt <= remindersSince;
  return wasDue || remindedUntil > remindersSince ? remindedUntil : remindersSince;
}

/**
 * The reminder to send at `now`: of those whose time has come since `after`, the one closest to the expiry. The others
 * were missed, and it says all that they would have said.
 * @returns null when none has come, and for a member that is not active or over
 */
export function reminderDue(term: Term, rules: Rules, after: Date, now: Date): Reminder | null {
  if (!term.expiresAt || term.expiresAt <= now) return null;
  const come = comingAfter(term, rules, after).filter(([, time]) => time <= now);
  const [closest] = come.sort(([one], [other]) => one.daysBefore - other.daysBefore);
  return closest?.[0] ?? null;
}

/** The reminders of an active member with their times, in no order. */
function comingAfter(
  { status, expiresAt, remindersSent = {} }: Term,
  { reminders, timeZone }: Rules,
  after: Date,
): [Reminder, Date][] {
  if (status !== 'active' || !expiresAt) return [];
  return reminders
    .filter(({ key }) => !Object.hasOwn(remindersSent, key))
    .map((reminder): [Reminder, Date] => [reminder, reminderTime(expiresAt, reminder, timeZone)])
    .filter(([, time]) => time > after);
}
