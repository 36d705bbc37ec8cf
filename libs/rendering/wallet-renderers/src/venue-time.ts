import { LRUCache } from 'lru-cache';
import { timeZoneAt } from './venue-time-zone.js';

/** The coordinates of a place, whose time zone applies. */
export interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

// Cache times, because all passes of an event share them.
const times = new LRUCache<string, string>({ max: 2000 });
// Cache formatters, because creating one takes 0.1 ms, and each message of a pass has a time of its own.
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 200 });

/**
 * Returns an instant as local time with its offset: `2026-11-21T11:00:00+01:00`. Google shows the local time. The
 * result is in UTC without a place, or after the year 9999.
 */
export function venueTime(instant: Date, place: Place | null): string {
  const name = place ? `${instant.getTime()} ${place.latitude} ${place.longitude}` : `${instant.getTime()}`;
  const known = times.get(name);
  if (known !== undefined) return known;
  const time = timeAt(instant, place);
  times.set(name, time);
  return time;
}

/** The largest difference between UTC and a local time, in milliseconds: 14 hours. */
const farthest = 14 * 3_600_000;

/**
 * Returns the first moment of a day, `2026-11-21`, at a place, or in UTC without a place. Some days begin at one
 * o'clock.
 */
export function startOfDay(day: string, place: Place | null): Date {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // Try the offsets before and after midnight, because the day may begin with a clock change.
  const candidates = [midnight - farthest, midnight + farthest].map((near) => {
    const local = Date.parse(`${venueTime(new Date(near), place).slice(0, 19)}Z`);
    return new Date(midnight - (local - near));
  });
  const [first] = candidates
    .filter((instant) => venueTime(instant, place).startsWith(day))
    .sort((one, other) => one.getTime() - other.getTime());
  return first ?? new Date(midnight);
}

const dayMs = 24 * 3_600_000;

/**
 * Returns the first moment after a day at a place, or in UTC without a place. A day with a clock change has 23 or 25
 * hours.
 */
export function endOfDay(day: string, place: Place | null): Date {
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + dayMs);
  const [text = ''] = next.toISOString().split('T');
  // `startOfDay` cannot read the day after the year 9999, which is written with a plus sign.
  return text.startsWith('+') ? next : startOfDay(text, place);
}

function timeAt(instant: Date, place: Place | null): string {
  const utc = `${instant.toISOString().slice(0, 19)}Z`;
  const local = place && localTime(instant, place);
  if (!local || local.length > 19) return utc;
  const seconds = Math.round((Date.parse(`${local}Z`) - Date.parse(utc)) / 1000);
  return `${local}${offsetText(seconds)}`;
}

/** Returns the local time, or null for an unknown zone, for example at invalid coordinates. */
function localTime(instant: Date, place: Place): string | null {
  try {
    const parts = new Map(
      formatIn(timeZoneAt(place))
        .formatToParts(instant)
        .map(({ type, value }) => [type, value]),
    );
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
    const day = [part('year').padStart(4, '0'), part('month'), part('day')].join('-');
    return `${day}T${[part('hour'), part('minute'), part('second')].join(':')}`;
  } catch {
    return null;
  }
}

/** @throws RangeError for an unknown zone */
function formatIn(timeZone: string): Intl.DateTimeFormat {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
  formats.set(timeZone, format);
  return format;
}

/** Formats an offset to the second. Some historic offsets have seconds, which Google reads. */
function offsetText(offset: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const total = Math.abs(offset);
  const [hours, minutes, seconds] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60];
  return `${offset < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}${seconds > 0 ? `:${two(seconds)}` : ''}`;
}
