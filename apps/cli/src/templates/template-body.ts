import { createHash } from 'node:crypto';

/** A template as a file has it and as its upsert takes it. */
export type TemplateBody = Record<string, unknown>;

export const imageProperties = ['icon', 'logo', 'banner', 'background', 'thumbnail'] as const;
export type ImageProperty = (typeof imageProperties)[number];

/** What the service adds to a template; never in a file. */
const ofTheService = new Set(['id', 'accountId', 'archived', 'createdAt', 'updatedAt']);

/** What a property means when it is left out. */
const defaults: Record<string, unknown> = {
  type: 'offer',
  sharingProhibited: false,
  codeFormat: 'qr',
  locations: [],
  fields: [],
  backFields: [],
};

/**
 * A template in the one form in which those that mean the same are equal: without what the service adds, without what
 * says no more than its absence would, and with instants written in one way.
 */
export function normalBody(body: TemplateBody): TemplateBody {
  const kept = Object.entries(body).filter(([name]) => !ofTheService.has(name));
  const normal = kept.map(([name, value]) => [name, name === 'startDate' ? instant(value) : withoutNulls(value)]);
  return Object.fromEntries(normal.filter(([name, value]) => !isDefault(name as string, value))) as TemplateBody;
}

function isDefault(name: string, value: unknown): boolean {
  return value === undefined || value === null || JSON.stringify(value) === JSON.stringify(defaults[name]);
}

function instant(value: unknown): unknown {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? value : new Date(time).toISOString();
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isMap(value)) return value;
  const entries = Object.entries(value).map(([name, of]) => {
    // Of a front field: null and an empty text both say «tell nothing», absence says «tell it in the usual words».
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

/** Whether two values are the same, whatever the order of their properties. */
export function same(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

/** Names the content of a normal body. */
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
