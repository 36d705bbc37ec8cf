import { barcodeFaults } from './barcode-rules.js';
import { styleProblems } from './field-rules.js';
import { isObject } from './strict-json.js';
import { isZonedDateTime } from './zoned-date-time.js';

/** A parsed `pass.json`. Its properties have the right types only if `passJsonProblems` finds no errors. */
export type PassJson = Readonly<Record<string, unknown>>;

const requiredStrings = [
  'passTypeIdentifier',
  'teamIdentifier',
  'serialNumber',
  'organizationName',
  'description',
] as const;
const optionalStrings = ['logoText', 'groupingIdentifier', 'appLaunchURL'] as const;
const colours = ['foregroundColor', 'backgroundColor', 'labelColor'] as const;
const dates = ['expirationDate', 'relevantDate'] as const;
const booleans = ['voided', 'sharingProhibited', 'suppressStripShine'] as const;
const mostLocations = 10;
const mostBeacons = 10;
const shortestToken = 16;
const longestIntervalMs = 24 * 3_600_000;
const actionTypes =
  'viewSchedule watchTrailer listenToMusic call place addToBalance order shop membershipBenefits bookAppointment ' +
  'bookCar bookFlight bookStay viewOffersRewards';
const mostActions = 2;

/**
 * Finds errors in `pass.json`, each as a sentence with the JSON path. Includes content that phones silently drop, such
 * as a barcode message that its encoding cannot express.
 * @see https://developer.apple.com/documentation/walletpasses/pass
 */
export function passJsonProblems(pass: PassJson, { allowHttp }: { readonly allowHttp: boolean }): string[] {
  const problems: string[] = [];
  if (pass.formatVersion !== 1) problems.push('formatVersion is not the number 1');
  for (const key of requiredStrings) {
    if (typeof pass[key] !== 'string' || pass[key] === '') problems.push(`${key} is not a text`);
  }
  problems.push(...typed(pass, optionalStrings, 'a text', (value) => typeof value === 'string'));
  problems.push(...typed(pass, booleans, 'true or false', (value) => typeof value === 'boolean'));
  problems.push(...typed(pass, colours, 'a colour as rgb(r, g, b)', isColour));
  problems.push(...typed(pass, dates, 'a date-time with zone', isZonedDateTime));
  problems.push(...typed(pass, ['maxDistance'], 'a number', Number.isFinite));
  problems.push(...typed(pass, ['userInfo', 'semantics'], 'an object', isObject));
  return [
    ...problems,
    ...styleProblems(pass),
    ...barcodeFaults(pass),
    ...actionProblems(pass),
    ...each(pass, 'locations', mostLocations, locationProblems),
    ...each(pass, 'beacons', mostBeacons, beaconProblems),
    ...each(pass, 'relevantDates', Infinity, relevantDateProblems),
    ...storeErrors(pass),
    ...webServiceProblems(pass, allowHttp),
  ];
}

function typed(
  of: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  what: string,
  isRight: (value: unknown) => boolean,
): string[] {
  return keys.filter((key) => of[key] !== undefined && !isRight(of[key])).map((key) => `${key} is not ${what}`);
}

function isColour(value: unknown): boolean {
  const parts =
    typeof value === 'string' ? /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(value) : null;
  return parts !== null && parts.slice(1).every((part) => Number(part) <= 255);
}

function each(
  pass: PassJson,
  key: string,
  most: number,
  problemsOf: (value: Readonly<Record<string, unknown>>) => string[],
): string[] {
  const list = pass[key];
  if (list === undefined) return [];
  if (!Array.isArray(list)) return [`${key} is not a list`];
  const tooMany = list.length > most ? [`${key} has ${list.length} entries; ${most} are read`] : [];
  const problems = list.flatMap((entry: unknown, index) => {
    const found = isObject(entry) ? problemsOf(entry).map((problem) => `.${problem}`) : [' is not an object'];
    return found.map((problem) => `${key}[${index}]${problem}`);
  });
  return [...tooMany, ...problems];
}

const within = (value: unknown, limit: number) => typeof value === 'number' && Math.abs(value) <= limit;

function locationProblems(location: Readonly<Record<string, unknown>>): string[] {
  return [
    ...(within(location.latitude, 90) ? [] : ['latitude is not a number from -90 to 90']),
    ...(within(location.longitude, 180) ? [] : ['longitude is not a number from -180 to 180']),
    ...typed(location, ['altitude'], 'a number', Number.isFinite),
    ...typed(location, ['relevantText'], 'a text', (value) => typeof value === 'string'),
  ];
}

function beaconProblems(beacon: Readonly<Record<string, unknown>>): string[] {
  const isUint16 = (value: unknown) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 0xffff;
  const hasUuid =
    typeof beacon.proximityUUID === 'string' &&
    /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(beacon.proximityUUID);
  return [
    ...(hasUuid ? [] : ['proximityUUID is not a UUID']),
    ...typed(beacon, ['major', 'minor'], 'a whole number from 0 to 65535', isUint16),
  ];
}

/**
 * Finds errors in a relevant date, which is a date or an interval. Phones probably read at most 24 hours of an
 * interval. In iOS 18, the key `date` was `relevantDate`.
 */
function relevantDateProblems(entry: Readonly<Record<string, unknown>>): string[] {
  const keys = ['date', 'relevantDate', 'startDate', 'endDate'];
  if (!keys.some((key) => key in entry)) return ['date is missing'];
  const problems = typed(entry, keys, 'a date-time with zone', isZonedDateTime);
  const { startDate, endDate } = entry;
  if (problems.length > 0 || (startDate === undefined && endDate === undefined)) return problems;
  const lengthMs = Date.parse(String(endDate)) - Date.parse(String(startDate));
  return lengthMs > 0 && lengthMs <= longestIntervalMs ? [] : ['endDate is not within 24 hours after startDate'];
}

/**
 * Finds errors in the actions of a pass, which phones show from iOS 27 on: at most two, with unique identifiers. A call
 * needs a telephone number, a place an identifier of Apple Maps, and every other type a web address.
 * @see https://developer.apple.com/documentation/walletpasses/defining-the-metadata-of-your-wallet-pass
 */
function actionProblems({ featuredActions: list }: Readonly<Record<string, unknown>>): string[] {
  if (list === undefined) return [];
  if (!Array.isArray(list)) return ['featuredActions is not a list'];
  const tooMany =
    list.length > mostActions ? [`featuredActions has ${list.length} entries; ${mostActions} are read`] : [];
  const identifiers = list.map((action: unknown) => (isObject(action) ? action.identifier : undefined));
  const problems = list.flatMap((action: unknown, index) => {
    if (!isObject(action)) return [`featuredActions[${index}] is not an object`];
    const found = [
      ...(typeof action.identifier === 'string' && action.identifier !== '' ? [] : ['identifier is not a text']),
      ...(identifiers.indexOf(action.identifier) < index ? ['identifier is that of another action'] : []),
      ...actionTypeProblems(action),
    ];
    return found.map((problem) => `featuredActions[${index}].${problem}`);
  });
  return [...tooMany, ...problems];
}

function actionTypeProblems({ type, url, placeIdentifier }: Readonly<Record<string, unknown>>): string[] {
  if (typeof type !== 'string' || !actionTypes.split(' ').includes(type)) return [`type is none of ${actionTypes}`];
  if (type === 'place') {
    return typeof placeIdentifier === 'string' && url === undefined ? [] : ['placeIdentifier is not a text'];
  }
  const text = typeof url === 'string' && URL.canParse(url) ? url : '';
  if (type === 'call') return /^tel:(?:\/\/)?\+?\d+$/.test(text) ? [] : ['url is not a telephone number'];
  return /^https:\/\//.test(text) ? [] : ['url is not an https URL'];
}

function storeErrors(pass: PassJson): string[] {
  const ids = pass.associatedStoreIdentifiers;
  if (ids === undefined)
    return pass.appLaunchURL === undefined ? [] : ['appLaunchURL needs associatedStoreIdentifiers'];
  const areNumbers = Array.isArray(ids) && ids.every((id) => typeof id === 'number');
  return areNumbers ? [] : ['associatedStoreIdentifiers is not a list of numbers'];
}

function webServiceProblems(
  { webServiceURL: url, authenticationToken: token }: PassJson,
  allowHttp: boolean,
): string[] {
  const problems: string[] = [];
  if (token !== undefined && typeof token !== 'string') problems.push('authenticationToken is not a text');
  if (url === undefined) return problems;
  const protocol = typeof url === 'string' && URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol !== 'https:' && !(allowHttp && protocol === 'http:')) problems.push('webServiceURL is not an https URL');
  if (typeof token !== 'string' || token.length < shortestToken) {
    problems.push(`webServiceURL needs an authenticationToken of at least ${shortestToken} characters`);
  }
  return problems;
}
