/** A JSON schema, or another part of a document, read by its property names. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as in operations.ts
export type Json = any;

/** The direction of a schema: clients write it or read it. */
export type Direction = 'request' | 'response';

/** The targets of `$ref` in the older and the newer document. */
export interface Schemas {
  readonly before: Readonly<Record<string, Json>>;
  readonly after: Readonly<Record<string, Json>>;
}

interface Comparison {
  readonly schemas: Schemas;
  readonly direction: Direction;
  /** The pairs of schemas whose comparison has begun, because schemas may contain themselves. */
  readonly within: readonly (readonly [before: Json, after: Json])[];
}

/** Lists what clients can no longer send in a request, or would not expect in a response. */
export function schemaBreaks(comparison: Comparison, one: Json, other: Json, at: string): string[] {
  const [before, after] = [named(one, comparison.schemas.before), named(other, comparison.schemas.after)];
  if (comparison.within.some(([was, is]) => was === before && is === after)) return [];
  const within = { ...comparison, within: [...comparison.within, [before, after] as const] };
  const [was, is] = [plain(before, comparison.schemas.before), plain(after, comparison.schemas.after)];
  if (was.oneOf || is.oneOf) return variantBreaks(within, was.oneOf ?? [one], is.oneOf ?? [other], at);
  const kind = kindBreaks(comparison.direction, was, is, at);
  if (kind.length > 0) return kind;
  const own = comparison.direction === 'request' ? requestBreaks(was, is, at) : responseBreaks(was, is, at);
  return [...own, ...propertyBreaks(within, was, is, at), ...itemBreaks(within, was, is, at)];
}

function named(schema: Json, schemas: Readonly<Record<string, Json>>): Json {
  return schema.$ref ? named(schemas[(schema.$ref as string).split('/').at(-1) as string] ?? {}, schemas) : schema;
}

/** Resolves `$ref`, `allOf` and `anyOf`. The parts of an `allOf` become one schema. */
function plain(outer: Json, schemas: Readonly<Record<string, Json>>): Json {
  const schema = named(outer, schemas);
  if (schema.anyOf) return { ...schema, oneOf: schema.anyOf };
  if (!schema.allOf) return schema;
  const { allOf, ...rest } = schema;
  const parts = [...(allOf as Json[]).map((part) => plain(part, schemas)), rest];
  return {
    ...Object.assign({}, ...parts),
    required: parts.flatMap(({ required = [] }) => required as string[]),
    properties: Object.assign({}, ...parts.map(({ properties = {} }) => properties as object)) as object,
  };
}

/** Requires that each earlier variant still exists. New variants are allowed. */
function variantBreaks(comparison: Comparison, before: Json[], after: Json[], at: string): string[] {
  return before.flatMap((variant) => {
    const namesake = after.find(({ $ref }) => $ref && $ref === variant.$ref);
    const candidates = namesake ? [namesake] : after;
    const attempts = candidates.map((candidate) => schemaBreaks(comparison, variant, candidate, at));
    return attempts.sort((one, other) => one.length - other.length)[0] ?? [];
  });
}

function kindBreaks(direction: Direction, was: Json, is: Json, at: string): string[] {
  const [wide, narrow] = direction === 'request' ? [is, was] : [was, is];
  const isWithin = wide.type === undefined || wide.type === narrow.type;
  if (!isWithin && !(wide.type === 'number' && narrow.type === 'integer')) {
    return [`${at} is ${is.type ?? 'anything'}, was ${was.type ?? 'anything'}`];
  }
  const isFormatWider = direction === 'request' && is.format === undefined;
  if (was.format !== is.format && !isFormatWider && was.type !== 'number' && was.type !== 'integer') {
    return [`${at} has the format ${is.format ?? 'none'}, had ${was.format ?? 'none'}`];
  }
  return narrow.nullable && !wide.nullable ? [`${at} ${direction === 'request' ? 'cannot' : 'can'} be null now`] : [];
}

const upper = ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties'];
const lower = ['minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties'];

function requestBreaks(was: Json, is: Json, at: string): string[] {
  const lostValues = is.enum
    ? ((was.enum as Json[] | undefined) ?? ['other values']).filter((value) => !is.enum.includes(value))
    : [];
  const tighter = [
    ...upper.filter((name) => is[name] !== undefined && !(was[name] <= is[name])),
    ...lower.filter((name) => is[name] !== undefined && !(was[name] >= is[name]) && is[name] > 0),
    ...['pattern', 'multipleOf', 'uniqueItems'].filter((name) => is[name] && is[name] !== was[name]),
  ].filter((name) => is[name] !== was[name]);
  const needed = list(is.required).filter((name) => !list(was.required).includes(name));
  const lost = Object.keys(was.properties ?? {}).filter((name) => !is.properties?.[name] && !isOpen(is));
  return [
    ...lostValues.map((value) => `${at} cannot be ${value} any more`),
    ...tighter.map((name) => `${at} has ${name} ${is[name]}, had ${was[name] ?? 'none'}`),
    ...needed.map((name) => `${at}.${name} is required now`),
    ...lost.map((name) => `${at}.${name} is not taken any more`),
    ...(isOpen(was) && !isOpen(is) ? [`${at} takes no properties of any name any more`] : []),
  ];
}

function responseBreaks(was: Json, is: Json, at: string): string[] {
  const lost = Object.keys(was.properties ?? {}).filter((name) => !is.properties?.[name]);
  const unsure = list(was.required).filter((name) => !list(is.required).includes(name) && !lost.includes(name));
  return [...lost.map((name) => `${at}.${name} is gone`), ...unsure.map((name) => `${at}.${name} may be missing now`)];
}

function propertyBreaks(comparison: Comparison, was: Json, is: Json, at: string): string[] {
  const extras = [was.additionalProperties, is.additionalProperties];
  const values = extras.every((extra) => typeof extra === 'object')
    ? schemaBreaks(comparison, extras[0], extras[1], `${at}.*`)
    : [];
  const named = Object.entries<Json>(was.properties ?? {})
    .filter(([name]) => is.properties?.[name])
    .flatMap(([name, property]) => schemaBreaks(comparison, property, is.properties[name], `${at}.${name}`));
  return [...named, ...values];
}

function itemBreaks(comparison: Comparison, was: Json, is: Json, at: string): string[] {
  return was.type === 'array' ? schemaBreaks(comparison, was.items ?? {}, is.items ?? {}, `${at}[]`) : [];
}

/** Returns true if a schema accepts unknown properties. */
const isOpen = ({ additionalProperties, properties, type }: Json) =>
  Boolean(additionalProperties) || (type === 'object' && !properties && additionalProperties !== false);

const list = (names: string[] | undefined): string[] => names ?? [];
