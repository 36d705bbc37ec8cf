import type { Reminder } from '@passwright/client';

/** Writes reminders as people enter them: `30, 7`. */
export function remindersInWords(reminders: readonly Reminder[]): string {
  return reminders.map(({ daysBefore }) => daysBefore).join(', ');
}

/**
 * Reads the days before the end of a membership. A reminder keeps its key, so that no member gets it twice.
 * @returns null if a part of the text is not a number of days
 */
export function remindersOf(text: string, former: readonly Reminder[]): Reminder[] | null {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '');
  if (!parts.every((part) => /^\d{1,3}$/.test(part))) return null;
  const days = [...new Set(parts.map(Number))].sort((one, other) => other - one);
  return days.map((daysBefore) => {
    const key = former.find((reminder) => reminder.daysBefore === daysBefore)?.key;
    return { key: key ?? `days-${daysBefore}`, daysBefore };
  });
}
