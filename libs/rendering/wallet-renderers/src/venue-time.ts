import timeZoneOf from '@photostructure/tz-lookup';
import type { RenderLocation } from './model.js';

type Coordinates = Pick<RenderLocation, 'latitude' | 'longitude'>;

/** The IANA time zone of a place, such as `Europe/Berlin`; at sea `Etc/GMT+3` and the like. Takes about 0.05 ms. */
export function timeZoneAt({ latitude, longitude }: Coordinates): string {
  return timeZoneOf(latitude, longitude);
}

/** The one time zone that all of the places are in; null when there are several, or no places. */
export function sharedTimeZone(places: readonly Coordinates[]): string | null {
  const zones = new Set(places.map(timeZoneAt));
  const [zone] = zones;
  return zone !== undefined && zones.size === 1 ? zone : null;
}
