import { RecentEntries } from '@passwright/core';

const minuteMs = 60_000;
const dayMinutes = 24 * 60;
/** The longest clock change that `endOfQuiet` handles, in minutes. */
const longestChange = 120;

/** The hours in which no message is sent, in local time. */
export interface QuietHours {
  /** An IANA time zone. */
  readonly timeZone: string;
  /** Minutes after midnight. If `until` is not later than `from`, it is on the next day. */
  readonly from: number;
  readonly until: number;
}

/**
 * Returns the first time at or after `at` that is outside of quiet hours. Quiet hours begin and end in local time, even
 * across clock changes. When clocks go back, quiet hours that have begun continue.
 */
export function endOfQuiet(at: Date, quiet: QuietHours): Date {
  let time = at.getTime();
  while (isQuiet(new Date(time), quiet)) time = towardsEnd(time, quiet);
  return new Date(time);
}

/** Returns true within quiet hours. */
export function isQuiet(at: Date, { timeZone, from, until }: QuietHours): boolean {
  const minute = localMinute(at, timeZone);
  return from < until ? minute >= from && minute < until : minute >= from || minute < until;
}

function towardsEnd(time: number, quiet: QuietHours): number {
  const { timeZone, until } = quiet;
  const minute = Math.floor(time / minuteMs) * minuteMs;
  const end = minute + minutesUntil(localMinute(new Date(time), timeZone), until) * minuteMs;
  // If clocks go forward before the end, `end` is late by at most the clock change.
  const late = (localMinute(new Date(end), timeZone) - until + dayMinutes) % dayMinutes;
  if (late > longestChange) return end;
  let earlier = Math.max(end - late * minuteMs, minute);
  while (earlier < end && isQuiet(new Date(earlier), quiet)) earlier += minuteMs;
  return earlier;
}

/** Returns the minutes from one time of day to the next occurrence of another time of day, 1 to 1440. */
function minutesUntil(minute: number, end: number): number {
  return ((end - minute + dayMinutes - 1) % dayMinutes) + 1;
}

// Forget names that are no longer used: upper and lower case are the same in a name, so each zone has many.
const formats = new RecentEntries<string, Intl.DateTimeFormat>(200);

/** Returns the local time of day in minutes after midnight. */
function localMinute(at: Date, timeZone: string): number {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', minute: 'numeric', hourCycle: 'h23' });
  formats.set(timeZone, format);
  const [hour = 0, minute = 0] = format
    .formatToParts(at)
    .flatMap(({ type, value }) => (type === 'hour' || type === 'minute' ? [Number(value)] : []));
  return hour * 60 + minute;
}
