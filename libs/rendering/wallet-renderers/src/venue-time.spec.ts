import fc from 'fast-check';
import { endOfDay, startOfDay, venueTime } from './venue-time.js';

const hamburg = { latitude: 53.5511, longitude: 9.9937 };
const newYork = { latitude: 40.7505, longitude: -73.9934 };
const kathmandu = { latitude: 27.7172, longitude: 85.324 };

it.each([
  ['winter', '2026-11-21T10:00:00.000Z', hamburg, '2026-11-21T11:00:00+01:00'],
  ['summer', '2026-06-05T18:00:00.000Z', hamburg, '2026-06-05T20:00:00+02:00'],
  ['the last second before summer time', '2026-03-29T00:59:59.000Z', hamburg, '2026-03-29T01:59:59+01:00'],
  ['the first second of summer time', '2026-03-29T01:00:00.000Z', hamburg, '2026-03-29T03:00:00+02:00'],
  ['the hour that comes twice, for the first time', '2026-10-25T00:30:00.000Z', hamburg, '2026-10-25T02:30:00+02:00'],
  ['the hour that comes twice, for the second time', '2026-10-25T01:30:00.000Z', hamburg, '2026-10-25T02:30:00+01:00'],
  ['the day before', '2026-01-01T03:00:00.000Z', newYork, '2025-12-31T22:00:00-05:00'],
  ['midnight', '2026-01-01T05:00:00.000Z', newYork, '2026-01-01T00:00:00-05:00'],
  ['an offset with quarters of an hour', '2026-01-01T00:00:00.000Z', kathmandu, '2026-01-01T05:45:00+05:45'],
  ['nowhere', '2026-06-05T18:00:00.000Z', null, '2026-06-05T18:00:00Z'],
  ['invalid coordinates', '2026-06-05T18:00:00.000Z', { latitude: 91, longitude: 0 }, '2026-06-05T18:00:00Z'],
])('venueTime shows the local time of a venue: %s', (_, instant, place, expected) => {
  expect(venueTime(new Date(instant), place)).toBe(expected);
});

it('venueTime returns the same instant for every place on Earth', () => {
  const place = fc.record({
    latitude: fc.double({ min: -90, max: 90, noNaN: true }),
    longitude: fc.double({ min: -180, max: 180, noNaN: true }),
  });
  // Before 1973 some zones had offsets with seconds, which Date cannot parse.
  const instant = fc.date({ min: new Date('1973-01-01'), max: new Date('9999-12-30'), noInvalidDate: true });
  fc.assert(
    fc.property(instant, place, (date, at) => {
      expect(Date.parse(venueTime(date, at))).toBe(Math.floor(date.getTime() / 1000) * 1000);
    }),
  );
});

it.each([
  ['in winter', '2026-11-21', hamburg, '2026-11-20T23:00:00.000Z'],
  ['in summer', '2026-06-21', hamburg, '2026-06-20T22:00:00.000Z'],
  ['on which summer time begins', '2026-03-29', hamburg, '2026-03-28T23:00:00.000Z'],
  ['in the west', '2026-01-01', newYork, '2026-01-01T05:00:00.000Z'],
  ['nowhere', '2026-06-05', null, '2026-06-05T00:00:00.000Z'],
  // In Beirut, the clocks were set from midnight to one o'clock.
  ['without a midnight', '2022-03-27', { latitude: 33.8938, longitude: 35.5018 }, '2022-03-26T22:00:00.000Z'],
])('startOfDay returns the first moment of a day %s', (_, day, place, expected) => {
  expect(startOfDay(day, place).toISOString()).toBe(expected);
});

it('startOfDay returns the first moment of the day at any place', () => {
  const place = fc.record({
    latitude: fc.double({ min: -90, max: 90, noNaN: true }),
    longitude: fc.double({ min: -180, max: 180, noNaN: true }),
  });
  const day = fc
    .date({ min: new Date('2015-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  fc.assert(
    fc.property(day, place, (text, at) => {
      const start = startOfDay(text, at);
      expect(venueTime(start, at).slice(0, 10)).toBe(text);
      expect(venueTime(new Date(start.getTime() - 1000), at).slice(0, 10)).not.toBe(text);
    }),
  );
});

it.each([
  ['on which summer time begins', '2026-03-29', hamburg, '2026-03-29T22:00:00.000Z'],
  ['on which summer time ends', '2026-10-25', hamburg, '2026-10-25T23:00:00.000Z'],
  ['nowhere', '2026-12-31', null, '2027-01-01T00:00:00.000Z'],
  ['before a year of five digits', '9999-12-31', hamburg, '+010000-01-01T00:00:00.000Z'],
])('endOfDay returns the first moment after a day %s', (_, day, place, expected) => {
  expect(endOfDay(day, place).toISOString()).toBe(expected);
});
