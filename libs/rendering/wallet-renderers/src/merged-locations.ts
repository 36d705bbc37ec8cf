import type { Problem } from './finding.js';
import type { RenderLocation } from './model.js';

/**
 * The maximum number of locations of a pass, including those of its template. Apple Wallet ignores further locations.
 */
export const maxLocations = 10;

interface Located {
  readonly locations: readonly RenderLocation[];
}

/** Returns the locations of a pass: its template's first, then its own, at most 10. */
export function mergedLocations(template: Located, pass: Located): readonly RenderLocation[] {
  return [...template.locations, ...pass.locations].slice(0, maxLocations);
}

/**
 * Returns the places of a pass, at most 10. The venue of an event comes first, unless it is among the locations or
 * there are already 10 locations.
 */
export function mergedPlaces(
  template: Located & { readonly location: RenderLocation | null },
  pass: Located,
): readonly RenderLocation[] {
  const listed = mergedLocations(template, pass);
  const venue = template.location;
  const known = listed.some((at) => at.latitude === venue?.latitude && at.longitude === venue.longitude);
  return venue && !known && listed.length < maxLocations ? [venue, ...listed] : listed;
}

/**
 * Returns a problem if a pass of `template` has too many locations. Without a pass, returns a problem if the template
 * itself has too many.
 */
export function locationProblems(template: Located, pass: Located = { locations: [] }): Problem[] {
  const [inherited, own] = [template.locations.length, pass.locations.length];
  if (inherited + own <= maxLocations) return [];
  const sum = own === 0 ? '' : ` (${inherited} of the template and ${own} of the pass)`;
  return [{ path: 'locations', message: `${inherited + own} locations${sum}`, fix: `at most ${maxLocations} in all` }];
}

/** Returns the name of a place, or its address in one line if the place has no name. */
export function placeName(location: RenderLocation): string {
  return location.name || addressLine(location.address);
}

/** Returns an address in one line, with commas between its lines. */
export function addressLine(address: string): string {
  const lines = address.split(/[\n\r\u0085\u2028\u2029]+/).map((line) => line.trim());
  const filled = lines.filter((line) => line !== '');
  if (filled.length === 0) return address;
  return filled.map((line, index) => (index < filled.length - 1 ? line.replace(/,$/, '') : line)).join(', ');
}
