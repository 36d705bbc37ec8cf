/** Matches an ISO 8601 date-time with a zone. Seconds are optional and may have fractions. */
const pattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** Returns true for an ISO 8601 date-time that phones read: with hours, minutes and zone. */
export function isZonedDateTime(value: unknown): boolean {
  return typeof value === 'string' && pattern.test(value) && !Number.isNaN(Date.parse(value));
}
