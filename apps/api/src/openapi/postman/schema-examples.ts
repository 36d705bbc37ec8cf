/** The part of an API schema that is needed to build an example. */
export interface ShownSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly example?: unknown;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly ShownSchema[];
  readonly anyOf?: readonly ShownSchema[];
  readonly allOf?: readonly ShownSchema[];
  readonly items?: ShownSchema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, ShownSchema>>;
}

export type Schemas = Readonly<Record<string, ShownSchema>>;

/** Returns a value that a schema allows: its examples, and empty values for required properties that have no example. */
export function exampleOf(schema: ShownSchema, schemas: Schemas): unknown {
  const name = schema.$ref?.split('/').at(-1);
  if (name !== undefined) return exampleOf(schemas[name] ?? {}, schemas);
  const given = schema.example ?? schema.default ?? schema.enum?.[0];
  if (given !== undefined) return given;
  if (schema.allOf) return merged(schema.allOf.map((part) => exampleOf(part, schemas)));
  const [variant] = schema.oneOf ?? schema.anyOf ?? [];
  if (variant) return exampleOf(variant, schemas);
  if (schema.properties) return objectOf(schema, schemas);
  if (schema.items) return [exampleOf(schema.items, schemas)];
  return emptyValues[[schema.type ?? 'object'].flat()[0] ?? 'object'] ?? {};
}

const emptyValues: Readonly<Record<string, unknown>> = { string: '', integer: 0, number: 0, boolean: false, array: [] };

function merged(parts: readonly unknown[]): unknown {
  const [first, ...others] = parts;
  return others.length === 0 ? first : Object.assign({}, ...parts);
}

function objectOf({ properties = {}, required = [] }: ShownSchema, schemas: Schemas): object {
  const shown = Object.entries(properties).filter(
    ([key, property]) => required.includes(key) || property.example !== undefined,
  );
  return Object.fromEntries(shown.map(([key, property]) => [key, exampleOf(property, schemas)]));
}
