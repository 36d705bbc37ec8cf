import { locationProblems, maxLocations, placeName } from '../merged-locations.js';
import type { RenderLocation, RenderTemplate } from '../model.js';
import type { ExaminedPass, Problem, Rule } from '../finding.js';
import { inAllLanguages, inAllLanguagesOfPass } from './in-all-languages.js';
import { problemIf, quoted } from '../problem-text.js';

const maxRelevantText = 110;

interface PlacedLocation {
  readonly path: string;
  readonly location: RenderLocation;
}

const listed = ({ locations }: Pick<ExaminedPass, 'locations'>): PlacedLocation[] =>
  locations.map((location, index) => ({ path: `locations[${index}]`, location }));

const ofTemplate = (template: RenderTemplate): PlacedLocation[] => [
  ...(template.location ? [{ path: 'location', location: template.location }] : []),
  ...listed(template),
];

/** Builds a check of each location of a template (including its venue) and of a pass. */
function eachLocation(check: (placed: PlacedLocation) => readonly Problem[]): Pick<Rule, 'template' | 'pass'> {
  return { template: (template) => ofTemplate(template).flatMap(check), pass: (pass) => listed(pass).flatMap(check) };
}

function outOfRange({ path, location }: PlacedLocation): Problem[] {
  return [['latitude', 90] as const, ['longitude', 180] as const].flatMap(([axis, limit]) => {
    const value = location[axis];
    const problems = problemIf(!(Math.abs(value) <= limit), `${path}.${axis}`, () =>
      Number.isFinite(value) ? `${value} is out of range` : 'it is not a number',
    );
    return problems.map((problem) => ({ ...problem, fix: `a number from -${limit} to ${limit}` }));
  });
}

function longText({ path, location }: PlacedLocation): Problem[] {
  const text = location.relevantText || placeName(location);
  const property = location.relevantText ? 'relevantText' : location.name ? 'name' : 'address';
  return problemIf(
    text.length > maxRelevantText,
    `${path}.${property}`,
    () => `${quoted(text)} has ${text.length} characters`,
  );
}

/** Rules on the places where passes appear automatically. */
export const placeRules: readonly Rule[] = [
  {
    id: 'location-out-of-range',
    severity: 'error',
    wallet: 'all',
    title: 'A location is not on Earth',
    why: 'Apple Wallet rejects a pass with a latitude beyond 90 or a longitude beyond 180 degrees.',
    fix: 'give degrees, latitude from -90 to 90 and longitude from -180 to 180',
    ...eachLocation(outOfRange),
  },
  {
    id: 'too-many-locations',
    severity: 'error',
    wallet: 'all',
    title: 'A pass has more than 10 locations',
    why: 'Wallets read 10 and drop the others. Locations of template and pass count together.',
    fix: `at most ${maxLocations} in all`,
    template: (template) => locationProblems(template),
    pass: (pass, template) => (pass.locations.length > 0 ? locationProblems(template, pass) : []),
  },
  {
    id: 'location-at-zero',
    severity: 'warning',
    wallet: 'all',
    title: 'A location is at 0, 0',
    why: 'That is in the Atlantic Ocean. Usually the coordinates were never filled in.',
    fix: 'give the coordinates of the place, or leave the location out',
    ...eachLocation(({ path, location: { latitude, longitude } }) =>
      problemIf(latitude === 0 && longitude === 0, path, () => 'latitude and longitude are both 0'),
    ),
  },
  {
    id: 'long-relevant-text',
    severity: 'warning',
    wallet: 'walletA',
    title: 'The text for the lock screen is too long',
    why: 'A lock screen shows a few lines and cuts off the rest. Without its own text, a location shows its name or address.',
    fix: `at most ${maxRelevantText} characters`,
    template: inAllLanguages((template) => ofTemplate(template).flatMap(longText)),
    pass: inAllLanguagesOfPass((pass) => listed(pass).flatMap(longText)),
  },
  {
    id: 'locations-wait-for-date',
    severity: 'info',
    wallet: 'walletA',
    title: 'The locations of an event count only around its start',
    why: 'A pass with a date and locations appears on the lock screen only if both match.',
    fix: 'change nothing, unless holders should see it on other days too: then use another type',
    template: ({ type, locations }) =>
      problemIf(type === 'event' && locations.length > 0, 'locations', () => 'they count around the start only'),
    pass: ({ locations }, { type }) =>
      problemIf(type === 'event' && locations.length > 0, 'locations', () => 'they count around the start only'),
  },
  {
    id: 'venue-left-out',
    severity: 'info',
    wallet: 'walletA',
    title: 'The venue is not among the locations',
    why: `The ${maxLocations} locations leave no room for it, so passes do not appear on the lock screen there.`,
    fix: `list at most ${maxLocations - 1} other locations`,
    template: ({ location, locations }) => {
      const isListed = locations.some(
        (at) => at.latitude === location?.latitude && at.longitude === location.longitude,
      );
      return problemIf(location !== null && !isListed && locations.length >= maxLocations, 'location', () => {
        return `${locations.length} locations leave no room for the venue`;
      });
    },
  },
];
