import { createHash } from 'node:crypto';

/** The properties of a template, as in a file or an upsert request. */
export type TemplateBody = Record<string, unknown>;

export const imageProperties = ['icon', 'logo', 'banner', 'background', 'thumbnail', 'artwork'] as const;
export type ImageProperty = (typeof imageProperties)[number];

/** The properties that only the service adds. Files never contain them. */
const ofTheService = new Set(['id', 'accountId', 'archived', 'createdAt', 'updatedAt', 'notifications']);

const times = new Set(['startDate', 'endDate', 'doorsOpen']);

/** The values of omitted properties. */
const defaults: Record<string, unknown> = {
  type: 'offer',
  sharingProhibited: false,
  codeFormat: 'qr',
  locations: [],
  fields: [],
  backFields: [],
  translations: {},
  actions: [],
};

/**
 * Returns the normal form of a template, which is the same for all templates with the same meaning. It omits default
 * values and the service's own properties. Times and language tags have one spelling.
 */
export function normalBody(body: TemplateBody): TemplateBody {
  const stored = Object.entries(body).filter(([name]) => !ofTheService.has(name));
  const normal = stored.map(([name, value]) => [name, normalValue(name, value)]);
  return Object.fromEntries(normal.filter(([name, value]) => !isDefault(name as string, value))) as TemplateBody;
}

function normalValue(name: string, value: unknown): unknown {
  if (times.has(name)) return instant(value);
  if (name === 'language' && typeof value === 'string') return canonicalTag(value) ?? value;
  if (name === 'translations' && isMap(value)) return normalTranslations(value);
  return withoutNulls(value);
}

/** Writes language tags in one spelling and removes languages without texts, as the service does. */
function normalTranslations(translations: Record<string, unknown>): Record<string, unknown> {
  const tables = Object.entries(translations).map(([tag, table]) => [canonicalTag(tag) ?? tag, table] as const);
  return Object.fromEntries(tables.filter(([, table]) => !isMap(table) || Object.keys(table).length > 0));
}

/** Returns the usual spelling of a language tag, such as `pt-BR`; null if the text is not a language tag. */
export function canonicalTag(tag: string): string | null {
  if (!/^[a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?$/i.test(tag)) return null;
  return Intl.getCanonicalLocales(tag)[0] ?? null;
}

function isDefault(name: string, value: unknown): boolean {
  return value === undefined || value === null || JSON.stringify(value) === JSON.stringify(defaults[name]);
}

function instant(value: unknown): unknown {
  // Keep a date without a time, because its midnight would have another meaning.
  if (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value)) return value;
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? value : new Date(time).toISOString();
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isMap(value)) return value;
  const entries = Object.entries(value).map(([name, of]) => {
    // In a front field, null or an empty text turns the message off. Without the property, the default message applies.
    if (name === 'changeMessage') return [name, of || null];
    return [name, withoutNulls(of)];
  });
  return Object.fromEntries(
    entries.filter(([name, of]) => name === 'changeMessage' || (of !== null && of !== undefined)),
  );
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Compares two values. The order of properties does not matter. */
export function same(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

/** Returns a fingerprint of a normalised body. */
export function fingerprintOf(body: TemplateBody): string {
  return createHash('sha256').update(canonical(body)).digest('hex');
}

function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_name, of: unknown) =>
      isMap(of) ? Object.fromEntries(Object.entries(of).sort(([a], [b]) => (a < b ? -1 : 1))) : of,
    ) ?? 'undefined'
  );
}
