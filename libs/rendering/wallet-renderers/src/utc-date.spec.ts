import { utcDate } from './utc-date.js';

it.each([
  ['2026-11-21T10:00:00.000Z', '21 November 2026, 10:00 UTC'],
  ['2027-01-01T00:05:59.999Z', '1 January 2027, 00:05 UTC'],
])('utcDate formats %s as %s', (iso, text) => {
  expect(utcDate(new Date(iso))).toBe(text);
});
