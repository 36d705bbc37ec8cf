import type { OpenAPIObject } from '@nestjs/swagger';
import { hasVariants, mergedVariants } from './merged-variants.js';

/** A JSON schema (2020-12) for the input or output of a tool. */
export type JsonSchema = { readonly [key: string]: unknown };

/** The keywords of OpenAPI 3.0 that do not exist in JSON Schema. */
const notJsonSchema = new Set(['discriminator', 'example', 'xml', 'externalDocs', 'nullable']);
const componentPrefix = '#/components/schemas/';
/** The maximum length of a pattern. Longer ones cost a model too many tokens, so only the API checks them. */
const PATTERN_LENGTH = 40;
/**
 * The highest length limit that a model needs to know. Only the API checks higher ones, which no model exceeds by
 * mistake.
 */
const TEXT_LENGTH = 10_000;
/** Marks properties that the interface specification does not have. Agents do not need it. */
const REMARK = '; an extension of this service';

/**
 * Makes a schema of the document short and self-contained: copies every schema that it refers to into `$defs`, merges
 * variants, and translates `nullable` to JSON Schema.
 * @param schema may refer to the document
 */
export function standaloneSchema(document: OpenAPIObject, schema: JsonSchema): JsonSchema {
  const definitions: Record<string, unknown> = {};
  const converted = convert(document, schema) as JsonSchema;
  addDefinitions(document, converted, definitions);
  return Object.keys(definitions).length === 0 ? converted : { ...converted, $defs: definitions };
}

function addDefinitions(document: OpenAPIObject, schema: unknown, definitions: Record<string, unknown>): void {
  for (const name of namesIn(schema)) {
    if (name in definitions) continue;
    const definition = convert(document, document.components?.schemas?.[name] ?? {});
    definitions[name] = definition;
    addDefinitions(document, definition, definitions);
  }
}

function namesIn(schema: unknown): string[] {
  return [...JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/(\w+)"/g)].map(([, name]) => name as string);
}

function convert(document: OpenAPIObject, schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((part) => convert(document, part));
  if (typeof schema === 'string') return schema.replace(REMARK, '');
  if (typeof schema !== 'object' || schema === null) return schema;
  if (hasVariants(schema)) return convert(document, mergedVariants(document, schema));
  const entries = Object.entries(schema).filter(([key, value]) => isKept(key, value) || isProperty(schema, key));
  const converted = Object.fromEntries(
    entries.map(([key, value]) =>
      key === '$ref' && typeof value === 'string'
        ? [key, value.replace(componentPrefix, '#/$defs/')]
        : [key, key === 'enum' || key === 'default' ? value : convert(document, value)],
    ),
  );
  return (schema as { nullable?: unknown }).nullable === true ? orNull(converted) : converted;
}

function isKept(key: string, value: unknown): boolean {
  if (key === 'pattern' && typeof value === 'string') return value.length <= PATTERN_LENGTH;
  if (key === 'maxLength' && typeof value === 'number') return value <= TEXT_LENGTH;
  return !notJsonSchema.has(key);
}

/** Returns true if a key names a property, so that its value is a schema. Returns false for a keyword. */
function isProperty(schema: object, key: string): boolean {
  const value = (schema as Record<string, unknown>)[key];
  return key !== 'discriminator' && typeof value === 'object' && value !== null && ('type' in value || '$ref' in value);
}

/** Writes one alternative per type, because fewer clients understand a list of types. */
function orNull({ description, default: preset, ...schema }: Record<string, unknown>): Record<string, unknown> {
  return {
    ...(description !== undefined && { description }),
    ...(preset !== undefined && { default: preset }),
    anyOf: [schema, { type: 'null' }],
  };
}
