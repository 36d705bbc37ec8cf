import type { OpenAPIObject } from '@nestjs/swagger';

/** A JSON schema (2020-12), as tools describe what they take and give. */
export type JsonSchema = { readonly [key: string]: unknown };

/** Said in OpenAPI 3.0 for people and its own tools, and unknown to JSON Schema. */
const notJsonSchema = new Set(['discriminator', 'example', 'xml', 'externalDocs', 'nullable']);
const componentPrefix = '#/components/schemas/';

/**
 * A schema of the document that stands alone: with all it refers to under `$defs`, and `nullable` said in JSON Schema's way.
 * @param schema with references into the document
 */
export function standaloneSchema(document: OpenAPIObject, schema: JsonSchema): JsonSchema {
  const definitions: Record<string, unknown> = {};
  const converted = convert(schema) as JsonSchema;
  addDefinitions(document, converted, definitions);
  return Object.keys(definitions).length === 0 ? converted : { ...converted, $defs: definitions };
}

function addDefinitions(document: OpenAPIObject, schema: unknown, definitions: Record<string, unknown>): void {
  for (const name of namesIn(schema)) {
    if (name in definitions) continue;
    const definition = convert(document.components?.schemas?.[name] ?? {});
    definitions[name] = definition;
    addDefinitions(document, definition, definitions);
  }
}

function namesIn(schema: unknown): string[] {
  return [...JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/(\w+)"/g)].map(([, name]) => name as string);
}

function convert(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(convert);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(([key]) => !notJsonSchema.has(key) || isProperty(schema, key));
  const converted = Object.fromEntries(
    entries.map(([key, value]) =>
      key === '$ref' && typeof value === 'string'
        ? [key, value.replace(componentPrefix, '#/$defs/')]
        : [key, key === 'enum' || key === 'default' ? value : convert(value)],
    ),
  );
  return (schema as { nullable?: unknown }).nullable === true ? orNull(converted) : converted;
}

/** Whether the key is the name of somebody's property rather than a word of the schema: its value is a schema then. */
function isProperty(schema: object, key: string): boolean {
  const value = (schema as Record<string, unknown>)[key];
  return key !== 'discriminator' && typeof value === 'object' && value !== null && ('type' in value || '$ref' in value);
}

/** As branches of one type each, which more clients understand than a list of types. */
function orNull({ description, default: preset, ...schema }: Record<string, unknown>): Record<string, unknown> {
  return {
    ...(description !== undefined && { description }),
    ...(preset !== undefined && { default: preset }),
    anyOf: [schema, { type: 'null' }],
  };
}
