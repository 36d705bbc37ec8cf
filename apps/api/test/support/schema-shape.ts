import type { Json } from './json.js';

/**
 * Lists how a value differs from a schema, one sentence per error. Supports the parts of JSON Schema that the document
 * uses. Reports undocumented properties.
 */
export function shapeProblems(document: Json, schema: Json, value: Json, at = 'body'): string[] {
  if (schema.$ref) {
    const name = (schema.$ref as string).split('/').at(-1) as string;
    return shapeProblems(document, document.components.schemas[name], value, at);
  }
  if (value === null && schema.nullable) return [];
  if (schema.oneOf) return unionProblems(document, schema, value, at);
  if (schema.allOf?.length === 1) return shapeProblems(document, schema.allOf[0], value, at);
  if (schema.allOf) return shapeProblems(document, mergedParts(document, schema.allOf), value, at);
  if (value === null) return [`${at} is null`];
  if (schema.enum && !schema.enum.includes(value)) return [`${at} is none of ${schema.enum.join(', ')}`];
  if (schema.type === 'object') return objectProblems(document, schema, value, at);
  if (schema.type === 'array') {
    if (!Array.isArray(value)) return [`${at} is no list`];
    return value.flatMap((item, index) => shapeProblems(document, schema.items, item, `${at}[${index}]`));
  }
  return scalarProblems(schema, value, at);
}

/** Builds a body from the examples of properties, as Swagger UI does. Omits optional properties without an example. */
export function exampleOf(document: Json, schema: Json): Json {
  const { properties } = schema.$ref
    ? document.components.schemas[(schema.$ref as string).split('/').at(-1) as string]
    : schema;
  const named = Object.entries<Json>(properties).filter(([, property]) => property.example !== undefined);
  return Object.fromEntries(named.map(([name, property]) => [name, property.example]));
}

function unionProblems(document: Json, { oneOf }: Json, value: Json, at: string): string[] {
  const perVariant = (oneOf as Json[]).map((variant) => shapeProblems(document, variant, value, at));
  const fitting = perVariant.filter((problems) => problems.length === 0).length;
  return fitting === 1 ? [] : [`${at} fits ${fitting} variants: ${JSON.stringify(perVariant)}`];
}

function mergedParts(document: Json, parts: Json[]): Json {
  const plain = parts.map((part) =>
    part.$ref ? document.components.schemas[(part.$ref as string).split('/').at(-1) as string] : part,
  );
  return {
    type: 'object',
    required: plain.flatMap(({ required = [] }) => required as string[]),
    properties: Object.assign({}, ...plain.map(({ properties = {} }) => properties as object)) as object,
  };
}

function objectProblems(document: Json, schema: Json, value: Json, at: string): string[] {
  if (typeof value !== 'object' || Array.isArray(value)) return [`${at} is no object`];
  if (schema.additionalProperties === true) return [];
  const { required = [], properties = {}, additionalProperties } = schema;
  const missing = (required as string[]).filter((name) => value[name] === undefined);
  const schemaOf = (name: string): Json => properties[name] ?? additionalProperties;
  return [
    ...missing.map((name) => `${at}.${name} is missing`),
    ...Object.keys(value as object).flatMap((name) => {
      const known = schemaOf(name);
      if (!known) return [`${at}.${name} is not in the schema`];
      return shapeProblems(document, known, value[name], `${at}.${name}`);
    }),
  ];
}

function scalarProblems({ type, format, pattern }: Json, value: Json, at: string): string[] {
  const isRight =
    type === undefined || (type === 'integer' ? Number.isInteger(value) : typeof value === (type as string));
  if (!isRight) return [`${at} is no ${type}`];
  if (format === 'date-time' && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value as string)) {
    return [`${at} is no date-time with milliseconds`];
  }
  return pattern && !new RegExp(pattern as string, 'u').test(value as string) ? [`${at} breaks its pattern`] : [];
}
