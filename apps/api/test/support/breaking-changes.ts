import { schemaBreaks, type Direction, type Json, type Schemas } from './breaking-schema-changes.js';
import { withNullable } from './nullable-schemas.js';
import { withoutReferences } from './operations.js';

/**
 * Lists the requests that clients can no longer send and the responses that they can no longer read, in sentences that
 * begin with the operation. Additions are allowed.
 */
export function breakingChanges(older: Json, newer: Json): string[] {
  const [before, after] = [withNullable(older), withNullable(newer)];
  const schemas: Schemas = { before: before.components?.schemas ?? {}, after: after.components?.schemas ?? {} };
  const now = new Map(operationsOf(after));
  const operations = operationsOf(before).flatMap(([name, operation]) => {
    const successor = now.get(name);
    if (!successor) return [`${name} is gone`];
    return operationBreaks(schemas, operation, successor).map((problem) => `${name}: ${problem}`);
  });
  return [...operations, ...schemeBreaks(before, after)];
}

/** Returns true if semantic versioning permits breaking changes between two versions. */
export function mayBreak(before: string, after: string): boolean {
  const [was, is] = [before, after].map((version) => version.split('.').map(Number)) as [number[], number[]];
  const leading = was[0] === 0 ? 2 : 1;
  const first = was.slice(0, leading).findIndex((part, index) => part !== is[index]);
  return first >= 0 && (is[first] as number) > (was[first] as number);
}

function operationsOf(document: Json): [name: string, operation: Json][] {
  return Object.entries<Json>(withoutReferences(document).paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]): [string, Json] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
}

function operationBreaks(schemas: Schemas, before: Json, after: Json): string[] {
  return [
    ...(before.operationId === after.operationId ? [] : [`its id is ${after.operationId}, was ${before.operationId}`]),
    ...(isTool(before) && !isTool(after) ? ['is no longer tagged mcp, so agents lose the tool'] : []),
    ...securityBreaks(before.security ?? [], after.security ?? []),
    ...parameterBreaks(schemas, before.parameters ?? [], after.parameters ?? []),
    ...bodyBreaks(schemas, before.requestBody, after.requestBody),
    ...responseBreaks(schemas, before.responses, after.responses),
  ];
}

const isTool = ({ tags = [] }: Json) => (tags as string[]).includes('mcp');

/** Requires that each earlier way to authenticate is still sufficient. */
function securityBreaks(before: Json[], after: Json[]): string[] {
  const [was, is] = [before, after].map((ways) => (ways.length === 0 ? [{}] : ways)) as [Json[], Json[]];
  return was
    .filter(
      (way) => !is.some((other) => Object.entries<Json>(other).every(([name, scopes]) => covers(way[name], scopes))),
    )
    .map((way) => `${Object.keys(way as object).join(' and ') || 'no credential'} is no longer enough`);
}

const covers = (given: string[] | undefined, needed: string[]) =>
  given !== undefined && needed.every((scope) => given.includes(scope));

function parameterBreaks(schemas: Schemas, before: Json[], after: Json[]): string[] {
  const keyOf = ({ name, in: place }: Json) => `${place} parameter ${name}`;
  const was = new Map(before.map((parameter) => [keyOf(parameter), parameter]));
  const is = new Map(after.map((parameter) => [keyOf(parameter), parameter]));
  const gone = [...was.keys()].filter((key) => !is.has(key)).map((key) => `${key} is gone`);
  return gone.concat(
    [...is].flatMap(([key, parameter]) => {
      const earlier = was.get(key);
      const required = parameter.required && !earlier?.required ? [`${key} is required now`] : [];
      return earlier
        ? required.concat(compare(schemas, 'request', taken(earlier, parameter), parameter.schema, key))
        : required;
    }),
  );
}

/**
 * Returns the schema of a parameter. Gives a path parameter without length limits those of the newer document, because
 * they break no client.
 */
function taken({ in: place, schema }: Json, successor: Json): Json {
  if (place !== 'path' || schema?.type !== 'string') return schema;
  const { maxLength } = successor.schema ?? {};
  return { minLength: 1, ...(maxLength && { maxLength }), ...schema };
}

function bodyBreaks(schemas: Schemas, before: Json, after: Json): string[] {
  if (!before) return after?.required ? ['a body is required now'] : [];
  if (!after) return ['takes no body any more'];
  const required = after.required && !before.required ? ['the body is required now'] : [];
  return required.concat(contentBreaks(schemas, 'request', before.content, after.content, 'body'));
}

/** Compares successful responses and redirects. Errors may change. */
function responseBreaks(schemas: Schemas, before: Json, after: Json): string[] {
  return Object.entries<Json>(before)
    .filter(([status]) => /^[123]/.test(status))
    .flatMap(([status, { content = {}, headers = {} }]) => {
      const successor = after[status];
      if (!successor) return [`no longer returns ${status}`];
      const lost = Object.keys(headers as object).filter((name) => !(name in (successor.headers ?? {})));
      return [
        ...lost.map((name) => `${status} has no header ${name} any more`),
        ...contentBreaks(schemas, 'response', content, successor.content ?? {}, `${status}`),
      ];
    });
}

function contentBreaks(schemas: Schemas, direction: Direction, before: Json, after: Json, at: string): string[] {
  return Object.entries<Json>(before).flatMap(([type, { schema }]) => {
    if (!after[type]) return [`${at} cannot be ${type} any more`];
    return compare(schemas, direction, schema, after[type].schema, at);
  });
}

function compare(schemas: Schemas, direction: Direction, before: Json, after: Json, at: string): string[] {
  return schemaBreaks({ schemas, direction, within: [] }, before ?? {}, after ?? {}, at);
}

/** Compares how a credential is sent. */
function schemeBreaks(before: Json, after: Json): string[] {
  const is = after.components?.securitySchemes ?? {};
  return Object.entries<Json>(before.components?.securitySchemes ?? {})
    .filter(([name, scheme]) => ['type', 'scheme', 'in', 'name'].some((part) => scheme[part] !== is[name]?.[part]))
    .map(([name]) => `credential ${name} is sent in another way`);
}
