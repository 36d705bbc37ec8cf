import { discoveredSchema, type DiscoveredProperty } from './discovered.js';
import { schemaName, type GooglePartName, type GoogleVertical } from './names.js';

/**
 * Returns the deprecated spelling of an enum value, which Google's responses often use: `underReview` for
 * `UNDER_REVIEW`.
 */
export function googleEnumAlias(value: string): string {
  return value.toLowerCase().replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns all top-level properties of a class or object that Google knows, including deprecated ones. */
export function googleProperties(vertical: GoogleVertical, part: GooglePartName): ReadonlySet<string> {
  const { properties, deprecated } = discoveredSchema(schemaName(vertical, part));
  return new Set([...Object.keys(properties), ...deprecated]);
}

/**
 * Converts a class or object to the form in which Google returns it: with the deprecated spelling of enum values, and
 * with `kind` at every level where Google adds it. Omits properties that Google does not know.
 */
export function googleResponse(
  vertical: GoogleVertical,
  part: GooglePartName,
  body: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return asResponse(schemaName(vertical, part), body);
}

function asResponse(name: string, body: object): Record<string, unknown> {
  const { kind, properties } = discoveredSchema(name);
  const entries = Object.entries(body).flatMap(([key, value]: [string, unknown]) => {
    const property = properties[key];
    return property ? [[key, responseValue(property, value)]] : [];
  });
  return { ...(kind && { kind }), ...(Object.fromEntries(entries) as Record<string, unknown>) };
}

function responseValue({ $ref, enum: values, items }: DiscoveredProperty, value: unknown): unknown {
  if (Array.isArray(value)) return items ? value.map((item: unknown) => responseValue(items, item)) : value;
  if (typeof value === 'string') return values ? googleEnumAlias(value) : value;
  return $ref && typeof value === 'object' && value !== null ? asResponse($ref, value) : value;
}
