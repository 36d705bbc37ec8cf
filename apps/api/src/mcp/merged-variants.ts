import type { OpenAPIObject } from '@nestjs/swagger';

type Schema = Readonly<Record<string, unknown>>;

interface Variants extends Schema {
  readonly discriminator: { readonly propertyName: string; readonly mapping: Readonly<Record<string, string>> };
}

interface Variant extends Schema {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** Returns true for a schema with alternatives that a property distinguishes, such as the four types of templates. */
export function hasVariants(schema: object): schema is Variants {
  const { discriminator } = schema as { discriminator?: { mapping?: unknown } };
  return 'oneOf' in schema && typeof discriminator === 'object' && typeof discriminator.mapping === 'object';
}

/**
 * Merges alternatives into one object schema. It is shorter, and models without `oneOf` understand it. The description
 * of a property says which variants have or require it.
 */
export function mergedVariants(document: OpenAPIObject, { discriminator, oneOf: _, ...rest }: Variants): Schema {
  const variants = Object.entries(discriminator.mapping).map(([name, reference]) => {
    const schema = document.components?.schemas?.[reference.split('/').at(-1) ?? ''];
    return { name, schema: schema as unknown as Variant };
  });
  const names = [...new Set(variants.flatMap(({ schema }) => Object.keys(schema.properties)))];
  const properties = names.map((property) => {
    const having = variants.filter(({ schema }) => property in schema.properties);
    const requiring = having.filter(({ schema }) => schema.required?.includes(property));
    const [first] = having;
    const schema = first?.schema.properties[property] ?? {};
    if (property === discriminator.propertyName)
      return [property, { ...schema, enum: variants.map(({ name }) => name) }];
    const notes = [
      having.length < variants.length && `Only for ${listOf(having)}.`,
      requiring.length > 0 && requiring.length < having.length && `Required for ${listOf(requiring)}.`,
      requiring.length > 0 &&
        requiring.length === having.length &&
        having.length < variants.length &&
        'Required there.',
    ];
    return [property, { ...schema, description: [schema.description, ...notes].filter(Boolean).join(' ') }];
  });
  const required = names.filter((property) => variants.every(({ schema }) => schema.required?.includes(property)));
  return { ...rest, type: 'object', properties: Object.fromEntries(properties) as object, required };
}

const listOf = (variants: readonly { readonly name: string }[]): string =>
  variants.map(({ name }) => name).join(' and ');
