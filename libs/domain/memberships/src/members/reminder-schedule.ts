import { RecentEntries } from '@passwright/core';
import { DateTime } from 'luxon';
import type { MembershipSettings, Reminder } from '../settings/membership-settings.entity.js';
import type { Member } from './member.entity.js';

/**
 * The properties of a member that determine reminders. A reminder already sent is not repeated, even if its number of
 * days changes.
 */
type Term = Pick<Member, 'status' | 'expiresAt'> & Partial<Pick<Member, 'remindersSent'>>;
type Rules = Pick<MembershipSettings, 'reminders' | 'timeZone'>;

/**
 * Returns when a reminder is due: its number of calendar days before the expiry, at the same local time. If a clock
 * change skips that time, the reminder is due later by the length of the change. If the zone skips that day, the
 * reminder is due the day before.
 */
export function reminderTime(expiresAt: Date, { daysBefore }: Pick<Reminder, 'daysBefore'>, timeZone: string): Date {
  const end = DateTime.fromJSDate(expiresAt, { zone: usualName(timeZone) });
  const before = (days: number) => end.minus({ days }).toJSDate();
  const time = before(daysBefore);
  // For a day that the zone skipped, such as 30 December 2011 in Samoa, luxon returns the day after.
  return time < before(daysBefore - 1) ? time : before(daysBefore + 1);
}

/**
 * Returns the next time at which a member is due: the time of an active member's next reminder, or else the expiry.
 * @param after the time up to which reminders are done
 * @returns null for a member without an expiry, and for a member who is neither active nor suspended
 */
export function nextDue(term: Term, rules: Rules, after: Date): Date | null {
  const { status, expiresAt } = term;
  if (!expiresAt || (status !== 'active' && status !== 'suspended')) return null;
  const times = [...comingAfter(term, rules, after).map(([, time]) => time), expiresAt];
  return new Date(Math.min(...times.map((time) => time.getTime())));
}

/**
 * Returns the time up to which a member's reminders count as done: at least the time of the last change of settings, so
 * that new settings never cause late reminders. A member who was already due before that change keeps the earlier time.
 */
export function doneUntil(
  { remindedUntil, dueAt }: Pick<Member, 'remindedUntil' | 'dueAt'>,
  { remindersSince }: Pick<MembershipSettings, 'remindersSince'>,
): Date {
  const wasDue = dueAt !== null && dueAt <= remindersSince;
  return wasDue || remindedUntil > remindersSince ? remindedUntil : remindersSince;
}

/**
 * Returns the reminder to send at `now`: of all reminders due since `after`, the one closest to the expiry. The others
 * are not sent.
 * @returns null if none is due, and for a member who is not active or has expired
 */
export function reminderDue(term: Term, rules: Rules, after: Date, now: Date): Reminder | null {
  if (!term.expiresAt || term.expiresAt <= now) return null;
  const come = comingAfter(term, rules, after).filter(([, time]) => time <= now);
  const [closest] = come.sort(([one], [other]) => one.daysBefore - other.daysBefore);
  return closest?.[0] ?? null;
}

/** Lists the reminders of an active member with their times, in no particular order. */
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

const usualNames = new RecentEntries<string, string>(200);

/**
 * Returns the usual name of a time zone, such as `Europe/Berlin` for `EUROPE/berlin`. luxon never forgets a name, and
 * upper and lower case are the same in a name, so each zone has many.
 */
function usualName(timeZone: string): string {
  const usual = usualNames.get(timeZone) ?? new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  usualNames.set(timeZone, usual);
  return usual;
}
