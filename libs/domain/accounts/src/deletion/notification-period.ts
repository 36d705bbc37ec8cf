/** Number of days for which phones and Google can fetch the last version of deleted content. */
export const notificationDays = 30;
const dayMs = 24 * 60 * 60_000;

/** Returns the time before which content must have been deleted for phones and Google to have learned of it. */
export function notifiedBefore(now: Date): Date {
  return new Date(now.getTime() - notificationDays * dayMs);
}
