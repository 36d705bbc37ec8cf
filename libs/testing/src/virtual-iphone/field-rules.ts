import { isObject } from './strict-json.js';
import { isZonedDateTime } from './zoned-date-time.js';

/** A valid field of a pass. */
export interface PassField {
  readonly key: string;
  readonly label?: string;
  readonly value: string | number;
  readonly changeMessage?: string;
}

/** The system of a phone. `ios27` draws posters. `ios26` represents iOS 26 and all earlier systems, which do not. */
export type PhoneSystem = 'ios27' | 'ios26';

const styles = ['boardingPass', 'coupon', 'eventTicket', 'generic', 'storeCard'] as const;
/** The style that newer systems draw. Older systems need a second style in the pass. */
const posterStyle = 'posterGeneric';
const frontGroups = ['headerFields', 'primaryFields', 'secondaryFields', 'auxiliaryFields', 'footerFields'] as const;
const backGroups = ['backFields', 'additionalInfoFields'] as const;
const transitTypes = ['Air', 'Boat', 'Bus', 'Train', 'Generic'].map((type) => `PKTransitType${type}`);
const dateStyles = ['None', 'Short', 'Medium', 'Long', 'Full'].map((style) => `PKDateStyle${style}`);
const numberStyles = ['Decimal', 'Percent', 'Scientific', 'SpellOut'].map((style) => `PKNumberStyle${style}`);
const alignments = ['Left', 'Center', 'Right', 'Natural'].map((side) => `PKTextAlignment${side}`);

type Json = Readonly<Record<string, unknown>>;

/** Returns the style in which a phone draws a pass. The pass must have no `styleProblems`. */
export function shownStyle(pass: Json, system: PhoneSystem): string {
  const known = system === 'ios27' ? [posterStyle, ...styles] : styles;
  return known.find((name) => isObject(pass[name])) ?? '';
}

/** Returns the fields of one style of a pass. */
export function fieldsOf(pass: Json, style: string): { front: PassField[]; back: PassField[] } {
  const groups = pass[style];
  const inGroups = (names: readonly string[]) =>
    (isObject(groups) ? names.flatMap((group) => groups[group] ?? []) : []) as PassField[];
  return { front: inGroups(frontGroups), back: inGroups(backGroups) };
}

/** Returns the front and back fields that a phone shows, by key. The pass must have no `styleProblems`. */
export function passFields(pass: Json, system: PhoneSystem): Map<string, PassField> {
  const { front, back } = fieldsOf(pass, shownStyle(pass, system));
  return new Map([...front, ...back].map((field) => [field.key, field]));
}

/**
 * Finds errors in the style and the fields of a pass. A pass needs exactly one style, unique keys, values that fit
 * their formatting, and one `%@` in each change message.
 * @see https://developer.apple.com/documentation/walletpasses/passfieldcontent
 */
export function styleProblems(pass: Json): string[] {
  const present = styles.filter((style) => pass[style] !== undefined);
  const hasPoster = pass[posterStyle] !== undefined;
  if (present.length > 1) return [`it has ${present.length} styles (${present.join(', ')}) instead of one`];
  if (present.length === 0 && !hasPoster) return [`it has none of the styles ${styles.join(', ')}`];
  const all = hasPoster ? [...present, posterStyle] : present;
  return all.flatMap((style) => groupsProblems(style, pass[style]));
}

function groupsProblems(style: string, groups: unknown): string[] {
  if (!isObject(groups)) return [`${style} is not an object`];
  const problems: string[] = [];
  if (style === 'boardingPass' && !transitTypes.includes(String(groups.transitType))) {
    problems.push(`boardingPass.transitType is none of ${transitTypes.join(', ')}`);
  }
  const keys = new Map<string, string>();
  for (const group of [...frontGroups, ...backGroups]) {
    const fields = groups[group] ?? [];
    if (!Array.isArray(fields)) problems.push(`${style}.${group} is not a list`);
    else fields.forEach((field, at) => problems.push(...fieldProblems(`${style}.${group}[${at}]`, field, keys)));
  }
  return problems;
}

function fieldProblems(path: string, field: unknown, keys: Map<string, string>): string[] {
  if (!isObject(field)) return [`${path} is not an object`];
  const problems = [...valueProblems(field), ...typeProblems(field)].map((problem) => `${path}.${problem}`);
  const { key } = field;
  if (typeof key !== 'string' || key === '') return [...problems, `${path}.key is not a text`];
  const earlier = keys.get(key);
  if (earlier) problems.push(`${path}.key "${key}" is that of ${earlier} too`);
  else keys.set(key, path);
  return problems;
}

function valueProblems({ value, dateStyle, timeStyle, numberStyle, currencyCode }: Json): string[] {
  if (typeof value !== 'string' && !Number.isFinite(value)) return ['value is neither a text nor a number'];
  const isDate = dateStyle !== undefined || timeStyle !== undefined;
  if (isDate && !isZonedDateTime(value)) return ['value is not a date-time with zone, as its style needs'];
  const isNumber = numberStyle !== undefined || currencyCode !== undefined;
  if (isNumber && typeof value !== 'number') return ['value is not a number, as its style needs'];
  return numberStyle !== undefined && currencyCode !== undefined ? ['currencyCode excludes numberStyle'] : [];
}

function typeProblems(field: Json): string[] {
  const oneOf = (key: string, allowed: readonly unknown[]) =>
    field[key] === undefined || allowed.includes(field[key]) ? [] : [`${key} is none of ${allowed.join(', ')}`];
  return [
    ...(field.label === undefined || typeof field.label === 'string' ? [] : ['label is not a text']),
    ...oneOf('dateStyle', dateStyles),
    ...oneOf('timeStyle', dateStyles),
    ...oneOf('numberStyle', numberStyles),
    ...oneOf('textAlignment', alignments),
    ...oneOf('row', [0, 1]),
    ...oneOf('ignoresTimeZone', [true, false]),
    ...changeMessageProblems(field.changeMessage),
  ];
}

function changeMessageProblems(message: unknown): string[] {
  if (message === undefined) return [];
  if (typeof message !== 'string') return ['changeMessage is not a text'];
  const codes = message.match(/%./gsu)?.filter((code) => code !== '%%') ?? [];
  const endsInPercent = message.replaceAll('%%', '').endsWith('%');
  const isRight = codes.length === 1 && codes[0] === '%@' && !endsInPercent;
  return isRight ? [] : ['changeMessage does not have exactly one %@, and %% for each percent sign'];
}
