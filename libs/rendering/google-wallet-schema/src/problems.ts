import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { jsonSchemas } from './json-schema.js';
import { schemaName, type GooglePartName, type GoogleVertical } from './names.js';
import { googleIdPattern } from './rules.js';

type Body = Readonly<Record<string, unknown>>;

let ajv: Ajv | undefined;
const validators = new Map<string, ValidateFunction>();

/**
 * Finds everything in a class or object that Google would reject or silently drop, according to Google's schema and
 * documented rules. Deprecated properties and spellings count as errors.
 * @param body the complete resource, as for an insert. It must not contain the nulls with which a PATCH clears
 * properties
 * @returns one sentence per error with the JSON path and the expected value; an empty list for a valid body
 */
export function googleProblems(vertical: GoogleVertical, part: GooglePartName, body: unknown): string[] {
  const validate = validator(schemaName(vertical, part));
  if (validate(body)) return [];
  return [...new Set((validate.errors ?? []).filter(({ keyword }) => keyword !== 'if').map(sentence))];
}

const idForm = new RegExp(googleIdPattern);

/** Returns true for a class or object id: the issuer's 10 to 20 digits, a dot, and letters, digits, `.`, `_` or `-`. */
export function isGoogleId(text: string): boolean {
  return idForm.test(text);
}

/** Returns the compiled validator of a schema. The first call takes some tens of milliseconds. */
function validator(name: string): ValidateFunction {
  const known = validators.get(name);
  if (known) return known;
  ajv ??= newAjv();
  const compiled = ajv.getSchema(`google#/$defs/${name}`);
  if (!compiled) throw new RangeError(`There is no schema "${name}".`);
  validators.set(name, compiled);
  return compiled;
}

function newAjv(): Ajv {
  const instance = new Ajv({ allErrors: true, strict: false, verbose: true });
  const isOneOf = (names: readonly string[], body: Body) => names.filter((name) => name in body).length;
  return instance
    .addKeyword({
      keyword: 'exactlyOne',
      type: 'object',
      validate: (names: string[], body: Body) => isOneOf(names, body) === 1,
    })
    .addKeyword({
      keyword: 'atMostOne',
      type: 'object',
      validate: (groups: string[][], body: Body) => groups.every((names) => isOneOf(names, body) <= 1),
    })
    .addKeyword({ keyword: 'sameOffsets', type: 'object', validate: (_: true, body: Body) => hasSameOffsets(body) })
    .addSchema(jsonSchemas(), 'google');
}

/** Returns true unless exactly one of the two times of an interval has a UTC offset. */
function hasSameOffsets({ start, end }: Body): boolean {
  const [from, to] = [start, end].map((at) => (at as { date?: unknown } | undefined)?.date);
  if (typeof from !== 'string' || typeof to !== 'string') return true;
  return hasOffset(from) === hasOffset(to);
}

function hasOffset(date: string): boolean {
  return /(?:Z|[+-]\d\d:\d\d(?::\d\d)?)$/.test(date.slice(10));
}

function sentence({ instancePath, keyword, params, message, schema, parentSchema }: ErrorObject): string {
  const path = `$${instancePath.replace(/\/(\d+)(?=\/|$)/g, '[$1]').replaceAll('/', '.')}`;
  switch (keyword) {
    case 'required':
      return `${path}.${String(params['missingProperty'])} is missing; Google requires it.`;
    case 'additionalProperties':
      return `${path}.${String(params['additionalProperty'])} is not a property that Google accepts there; leave it out.`;
    case 'enum':
      return `${path} must be one of ${(params['allowedValues'] as string[]).join(', ')}.`;
    case 'exactlyOne':
      return `${path} must have exactly one of ${(parentSchema?.['exactlyOne'] as string[]).join(', ')}.`;
    case 'atMostOne':
      return `${path} may have only one of each: ${groups(parentSchema?.['atMostOne'])}.`;
    case 'sameOffsets':
      return `${path}.start and its end must both have an offset, or neither.`;
    case 'minLength':
      return `${path} is empty; leave it out, or give it a text.`;
    case 'false schema':
      return `${path} does not go with this type of barcode; leave it out.`;
    default:
      return `${path} ${message ?? `breaks the rule ${keyword} ${JSON.stringify(schema)}`}.`;
  }
}

function groups(value: unknown): string {
  return (value as string[][]).map((names) => names.join(' and ')).join(', ');
}
