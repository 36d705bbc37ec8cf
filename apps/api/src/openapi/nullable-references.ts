import type { OpenAPIObject } from '@nestjs/swagger';

type Schemas = Record<string, object>;

/**
 * Replaces the reference of each nullable property with the schema itself, because strict validators and some client
 * generators cannot make a reference nullable.
 */
export function allowNulls(document: OpenAPIObject): void {
  const schemas = (document.components?.schemas ?? {}) as Schemas;
  const inlined = new Set<string>();
  inlineNullable(document, schemas, inlined);
  const left = JSON.stringify(document);
  for (const name of inlined) if (!left.includes(`"#/components/schemas/${name}"`)) delete schemas[name];
}

function inlineNullable(part: unknown, schemas: Schemas, inlined: Set<string>): void {
  if (typeof part !== 'object' || part === null) return;
  const schema = part as { nullable?: boolean; allOf?: { $ref?: string }[] };
  const name = schema.nullable === true ? schema.allOf?.[0]?.$ref?.split('/').at(-1) : undefined;
  if (name !== undefined) {
    delete schema.allOf;
    Object.assign(schema, { ...schemas[name], ...schema });
    inlined.add(name);
  }
  for (const inner of Object.values(part)) inlineNullable(inner, schemas, inlined);
}
