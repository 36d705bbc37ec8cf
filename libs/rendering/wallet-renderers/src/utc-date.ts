const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/**
 * Formats a date for people in UTC: `21 November 2026, 10:00 UTC`. Does not use Intl, whose wording changes between
 * versions of Node.
 */
export function utcDate(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
  return `${day}, ${two(date.getUTCHours())}:${two(date.getUTCMinutes())} UTC`;
}
