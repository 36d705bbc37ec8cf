import { DateTime } from 'luxon';
import type { Member } from '../members/member.entity.js';
import type { MembershipSettings, Reminder } from '../settings/membership-settings.entity.js';

type Term = Pick<Member, 'status' | 'expiresAt'>;
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
export function nextDue({ status, expiresAt }: Term, { reminders, timeZone }: Rules, after: Date): Date | null {
  if (!expiresAt || (status !== 'active' && status !== 'suspended')) return null;
  const coming = status === 'active' ? reminders.map((reminder) => reminderTime(expiresAt, reminder, timeZone)) : [];
  const times = [...coming.filter((time) => time > after), expiresAt];
  return new Date(Math.min(...times.map((time) => time.getTime())));
}

/**
 * The reminder to send at `now`: of those whose time has come since `after`, the one closest to the expiry. The others
 * were missed, and it says all that they would have said.
 * @returns null when none has come, and for a member that is not active or over
 */
export function reminderDue(
  { status, expiresAt }: Term,
  { reminders, timeZone }: Rules,
  after: Date,
  now: Date,
): Reminder | null {
  if (status !== 'active' || !expiresAt || expiresAt <= now) return null;
  const come = reminders.filter((reminder) => {
    const time = reminderTime(expiresAt, reminder, timeZone);
    return time > after && time <= now;
  });
  return come.reduce<Reminder | null>(
    (best, reminder) => (best && best.daysBefore <= reminder.daysBefore ? best : reminder),
    null,
  );
}
