import type { Json } from './json.js';

/** Returns a document of OpenAPI 3.1 with `nullable` in place of the type `null`, as in 3.0. */
export function withNullable(document: Json): Json {
  return JSON.parse(JSON.stringify(document), (_, part: Json) => nullable(part));
}

function nullable(schema: Json): Json {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema.type)) {
    const values = schema.enum as Json[] | undefined;
    const [type] = (schema.type as string[]).filter((name) => name !== 'null');
    return { ...schema, type, nullable: true, ...(values && { enum: values.filter((value) => value !== null) }) };
  }
  const branches: Json[] = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  const others = branches.filter(({ type }) => type !== 'null');
  if (others.length === branches.length) return schema;
  const { anyOf: _, ...rest } = schema;
  return { ...(others.length === 1 ? others[0] : { anyOf: others }), ...rest, nullable: true };
}
