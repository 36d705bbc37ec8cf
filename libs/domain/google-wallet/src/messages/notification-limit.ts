/** Google's limit on messages with a notification for one object, in 24 hours. */
export const NOTIFICATIONS_PER_DAY = 3;
const dayMs = 24 * 60 * 60 * 1000;

/** A message of an object. */
interface Message {
  /** True if Google notified the holders. */
  readonly notified?: boolean;
  /** The ISO 8601 time when Google stored it; absent while it waits. */
  readonly addedAt?: string;
}

/** Returns how many more messages may notify the holders. */
export function notificationsLeft(messages: readonly Message[], now: Date): number {
  const counted = messages.filter((message) => countsAsNotification(message, now));
  return Math.max(0, NOTIFICATIONS_PER_DAY - counted.length);
}

/** Returns true if Google notified the holders of this message in the last 24 hours. */
export function countsAsNotification({ notified, addedAt }: Message, now: Date): boolean {
  return notified === true && addedAt !== undefined && new Date(addedAt).getTime() > now.getTime() - dayMs;
}
