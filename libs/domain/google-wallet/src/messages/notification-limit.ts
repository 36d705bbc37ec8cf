import type { StoredMessage } from './google-messages.js';

/** Google's limit on messages with a notification for one object, in 24 hours. */
export const NOTIFICATIONS_PER_DAY = 3;
const dayMs = 24 * 60 * 60 * 1000;

/** Returns how many more messages may notify the holders. */
export function notificationsLeft(messages: readonly StoredMessage[], now: Date): number {
  const counted = messages.filter((message) => countsAsNotification(message, now));
  return Math.max(0, NOTIFICATIONS_PER_DAY - counted.length);
}

/** Returns true if Google notified the holders of this message in the last 24 hours. */
export function countsAsNotification({ notified, addedAt }: StoredMessage, now: Date): boolean {
  return notified === true && addedAt !== undefined && new Date(addedAt).getTime() > now.getTime() - dayMs;
}
