/** Seconds may be missing, and have fractions; the zone may not. */
const pattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** Whether a value is an ISO 8601 date-time as phones read it: with hours, minutes and zone. */
export function isZonedDateTime(value: unknown): boolean {
  return typeof value === 'string' && pattern.test(value) && !Number.isNaN(Date.parse(value));
}
