import type { OpenAPIObject } from '@nestjs/swagger';

type Schema = Readonly<Record<string, unknown>>;

/**
 * Converts a document of OpenAPI 3.0, which @nestjs/swagger writes, to 3.1. Schemas of 3.1 are JSON Schema: they have
 * the type `null` in place of `nullable`.
 */
export function asOpenApi31(document: OpenAPIObject): OpenAPIObject {
  return { ...(converted(document) as OpenAPIObject), openapi: '3.1.0' };
}

function converted(part: unknown): unknown {
  if (Array.isArray(part)) return (part as unknown[]).map(converted);
  if (typeof part !== 'object' || part === null) return part;
  const entries = Object.entries(part as Schema).map(
    ([key, value]) => [key, isLiteral(key, value) ? value : converted(value)] as const,
  );
  const { nullable, ...schema } = withoutSingleParts(Object.fromEntries(entries));
  if (nullable === undefined) return schema;
  // Keep a property with the name `nullable`, whose value is a schema.
  if (typeof nullable !== 'boolean') return { ...schema, nullable };
  return nullable ? orNull(schema) : schema;
}

/** Returns true for a value that may look like a schema but is not one. */
function isLiteral(key: string, value: unknown): boolean {
  return key === 'example' || key === 'examples' || key === 'default' || (key === 'value' && typeof value === 'object');
}

/** Replaces an `allOf` of one reference with that reference. 3.0 needs the `allOf` for other keywords. */
function withoutSingleParts(schema: Schema): Schema {
  const { allOf: parts, ...rest } = schema;
  if (!Array.isArray(parts) || parts.length !== 1 || rest.type !== undefined) return schema;
  const [only] = parts as Schema[];
  return only?.$ref === undefined ? schema : { $ref: only.$ref, ...rest };
}

function orNull(schema: Schema): Schema {
  if (typeof schema.type !== 'string') {
    const { description, ...rest } = schema;
    return { ...(description !== undefined && { description }), anyOf: [rest, { type: 'null' }] };
  }
  const values = schema.enum as unknown[] | undefined;
  return { ...schema, type: [schema.type, 'null'], ...(values && { enum: [...new Set([...values, null])] }) };
}
