import timeZoneOf from '@photostructure/tz-lookup';
import { LRUCache } from 'lru-cache';
import { mergedLocations } from './merged-locations.js';
import type { RenderLocation, RenderPass, RenderTemplate } from './model.js';

type Coordinates = Pick<RenderLocation, 'latitude' | 'longitude'>;

// Cache zones, because every package of an event needs them, and a look-up takes about 0.05 ms.
const zones = new LRUCache<string, string>({ max: 2000 });

/**
 * Returns the IANA time zone of a place, such as `Europe/Berlin`. At sea, returns a zone such as `Etc/GMT+3`.
 * @throws Error for coordinates that are not on Earth
 */
export function timeZoneAt({ latitude, longitude }: Coordinates): string {
  const place = `${latitude} ${longitude}`;
  const known = zones.get(place);
  if (known !== undefined) return known;
  const zone = timeZoneOf(latitude, longitude);
  zones.set(place, zone);
  return zone;
}

/** Returns the time zone that all places share, or null when there are several zones or no places. */
export function sharedTimeZone(places: readonly Coordinates[]): string | null {
  const distinct = new Set(places.map(timeZoneAt));
  const [zone] = distinct;
  return zone !== undefined && distinct.size === 1 ? zone : null;
}

/**
 * Returns the place whose time zone all wallets use for an event: the venue, or without a venue one of the template's
 * locations, if all of them share a zone. Returns null if the zone is unknown.
 */
export function eventPlace({ location, locations }: Pick<RenderTemplate, 'location' | 'locations'>) {
  if (location) return isOnEarth(location) ? location : null;
  const [first] = locations;
  return first && locations.every(isOnEarth) && sharedTimeZone(locations) !== null ? first : null;
}

/**
 * Returns a place in the time zone of the dates of a pass. For an event it is the event's place. A pass's own locations
 * do not change it, because all passes of an event show the same time. For other types it is the first place of the
 * pass if all its places share a zone. Returns null if the zone is unknown.
 */
export function passPlace(
  template: Pick<RenderTemplate, 'type' | 'location' | 'locations'>,
  pass: Pick<RenderPass, 'locations'>,
) {
  if (template.type === 'event') return eventPlace(template);
  return eventPlace({ location: null, locations: mergedLocations(template, pass) });
}

function isOnEarth({ latitude, longitude }: Coordinates): boolean {
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
}
