import { LRUCache } from 'lru-cache';

const forms = {
  /** A point in time: `21 November 2026 at 10:00 UTC`. */
  moment: { year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit', timeZoneName: 'short' },
  /** A day: `21 November 2026`. */
  date: { year: 'numeric', month: 'long', day: 'numeric' },
  /** The day of an event: `Saturday, 21 November 2026`. */
  day: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
  /** The time of an event: `10:00 UTC`. */
  time: { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

// Cache formatters, because creating one takes longer than the rest of a page.
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 200 });

/**
 * Formats a date in a language. Names the time zone if the form includes a time.
 * @param timeZone an IANA name, or `UTC`
 */
export function dateInWords(date: Date, form: keyof typeof forms, locale: string, timeZone: string): string {
  const name = `${locale} ${form} ${timeZone}`;
  const format = formats.get(name) ?? new Intl.DateTimeFormat(locale, { ...forms[form], timeZone });
  formats.set(name, format);
  return format.format(date);
}
