import { discoveredSchema, type DiscoveredProperty } from './discovered.js';
import { schemaName, type GooglePartName, type GoogleVertical } from './names.js';

/** The deprecated spelling of an enum value, in which Google often answers: `underReview` for `UNDER_REVIEW`. */
export function googleEnumAlias(value: string): string {
  return value.toLowerCase().replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** All properties that Google knows at the top of a class or object, the deprecated ones included. */
export function googleProperties(vertical: GoogleVertical, part: GooglePartName): ReadonlySet<string> {
  const { properties, deprecated } = discoveredSchema(schemaName(vertical, part));
  return new Set([...Object.keys(properties), ...deprecated]);
}

/**
 * A class or object as Google has been seen to answer it: enum values in their deprecated spelling, and `kind` added
 * at every level that has one. Properties that Google does not know are left out.
 */
export function googleAnswer(
  vertical: GoogleVertical,
  part: GooglePartName,
  body: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return answered(schemaName(vertical, part), body);
}

function answered(name: string, body: object): Record<string, unknown> {
  const { kind, properties } = discoveredSchema(name);
  const entries = Object.entries(body).flatMap(([key, value]: [string, unknown]) => {
    const property = properties[key];
    return property ? [[key, answeredValue(property, value)]] : [];
  });
  return { ...(kind && { kind }), ...(Object.fromEntries(entries) as Record<string, unknown>) };
}

function answeredValue({ $ref, enum: values, items }: DiscoveredProperty, value: unknown): unknown {
  if (Array.isArray(value)) return items ? value.map((item: unknown) => answeredValue(items, item)) : value;
  if (typeof value === 'string') return values ? googleEnumAlias(value) : value;
  return $ref && typeof value === 'object' && value !== null ? answered($ref, value) : value;
}
