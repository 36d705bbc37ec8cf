import { sharedTimeZone, timeZoneAt } from './venue-time-zone.js';

const hamburg = { latitude: 53.5413, longitude: 9.9841 };
const berlin = { latitude: 52.52, longitude: 13.405 };
const tokyo = { latitude: 35.68, longitude: 139.76 };

it('timeZoneAt returns the time zone of a place', () => {
  expect([hamburg, tokyo, { latitude: 40.71, longitude: -74 }].map(timeZoneAt)).toEqual([
    'Europe/Berlin',
    'Asia/Tokyo',
    'America/New_York',
  ]);
});

it('timeZoneAt returns a zone that Intl accepts for every place on earth', () => {
  for (let latitude = -90; latitude <= 90; latitude += 15) {
    for (let longitude = -180; longitude <= 180; longitude += 15) {
      const timeZone = timeZoneAt({ latitude, longitude });
      expect(() => new Intl.DateTimeFormat('en', { timeZone })).not.toThrow();
    }
  }
});

it('sharedTimeZone returns a zone only if all places have the same one', () => {
  expect(sharedTimeZone([hamburg, berlin])).toBe('Europe/Berlin');
  expect(sharedTimeZone([hamburg, tokyo])).toBeNull();
  expect(sharedTimeZone([])).toBeNull();
});
