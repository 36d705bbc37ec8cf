/** Number of days for which phones and Google can fetch the last version of deleted content. */
export const notificationDays = 30;
const dayMs = 24 * 60 * 60_000;

/** Returns the time 30 days ago. Phones and Google know of deletions before that time. */
export function notifiedBefore(now: Date): Date {
  return new Date(now.getTime() - notificationDays * dayMs);
}
