const when = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** Formats a time from the API in the reader's language and zone. */
export function inLocalTime(at: string | null | undefined): string {
  return at ? when.format(new Date(at)) : '—';
}

/** Formats the day of a time. */
export function localDay(at: string | null | undefined): string {
  return at ? day.format(new Date(at)) : '—';
}

/** Formats the time of day. */
export function localTime(at: string): string {
  return time.format(new Date(at));
}

/** Returns the value of a date-and-time input for a time from the API; empty without a time. */
export function toInput(time: unknown): string {
  const date = typeof time === 'string' ? new Date(time) : null;
  if (!date || Number.isNaN(date.getTime())) return '';
  const two = (number: number) => String(number).padStart(2, '0');
  const text = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${text}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Returns the time to send to the API for the value of a date-and-time input; null for an empty one. */
export function fromInput(value: string): string | null {
  const date = new Date(value);
  return value === '' || Number.isNaN(date.getTime()) ? null : date.toISOString();
}
