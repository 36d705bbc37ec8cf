import { DateTime } from 'luxon';
import type { MembershipSettings, Reminder } from '../settings/membership-settings.entity.js';

/** When a reminder is due: so many calendar days before, at the same time of day there, whatever clocks do in between. */
export function reminderTime(expiresAt: Date, { daysBefore }: Reminder, timeZone: string): Date {
  return DateTime.fromJSDate(expiresAt, { zone: timeZone }).minus({ days: daysBefore }).toJSDate();
}

/**
 * When there is next something to do for a member that is active or suspended.
 * @param after reminders up to then are done with; suspended members get none
 * @returns the next reminder after it or the expiry, whichever is first; null without an expiry
 */
export function nextDue(
  member: { readonly status: 'active' | 'suspended'; readonly expiresAt: Date | null },
  { reminders, timeZone }: Pick<MembershipSettings, 'reminders' | 'timeZone'>,
  after: Date,
): Date | null {
  const { expiresAt, status } = member;
  if (!expiresAt) return null;
  const coming = status === 'active' ? reminders.map((reminder) => reminderTime(expiresAt, reminder, timeZone)) : [];
  const times = [...coming.filter((time) => time > after), expiresAt];
  return new Date(Math.min(...times.map((time) => time.getTime())));
}
