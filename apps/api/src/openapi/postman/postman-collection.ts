import type { OpenAPIObject } from '@nestjs/swagger';
import { exampleOf, type Schemas, type ShownSchema } from './schema-examples.js';
import { storedValues, storingScript } from './stored-values.js';

/** https://schema.getpostman.com/json/collection/v2.1.0/docs/index.html */
const FORMAT = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

const description = `Every operation of the API, by group, with an example.

Send **auth / Register a user** (or **Log in**), then **auth / Create an API key**: their responses set the variables \`accessToken\` and \`key\`, which the other requests send. The responses that create a template, a pass, a member, a webhook or a message set the variable of its id.`;

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly schema?: ShownSchema;
}

interface Media {
  readonly schema?: ShownSchema;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly security: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Returns the API as a Postman collection of format 2.1.
 * @param document an OpenAPI document whose operations contain their parameters instead of references
 */
export function postmanCollection({ info, tags = [], paths, components, servers = [] }: OpenAPIObject): object {
  const schemas = (components?.schemas ?? {}) as Schemas;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({ path, method, operation })),
  );
  const folders = tags.map((tag) => ({
    name: tag.name,
    description: tag.description,
    item: operations
      .filter(({ operation }) => operation.tags[0] === tag.name)
      .map(({ path, method, operation }) => itemOf(path, method, operation, schemas)),
  }));
  return {
    info: { name: info.title, description, version: info.version, schema: FORMAT },
    auth: bearer('key'),
    variable: [
      { key: 'baseUrl', value: servers[0]?.url ?? 'http://localhost:3000' },
      ...['key', 'accessToken', 'refreshToken', 'passToken'].map((key) => ({ key, value: '' })),
      ...pathVariables(operations.map(({ operation }) => operation)),
    ],
    item: folders.filter(({ item }) => item.length > 0),
  };
}

function itemOf(path: string, method: string, operation: Operation, schemas: Schemas): object {
  const stored = storedValues[operation.operationId];
  const [[type, media] = [null, null]] = Object.entries(operation.requestBody?.content ?? {});
  const body = type !== null && media ? bodyOf(type, media, schemas) : undefined;
  return {
    name: operation.summary,
    request: {
      method: method.toUpperCase(),
      description: operation.description,
      auth: authOf(operation),
      header: headersOf(operation, body?.mode === 'raw' ? type : null),
      url: urlOf(path, operation),
      body,
    },
    event: stored && [{ listen: 'test', script: { type: 'text/javascript', exec: storingScript(stored) } }],
  };
}

const bearer = (variable: string) => ({
  type: 'bearer',
  bearer: [{ key: 'token', value: `{{${variable}}}`, type: 'string' }],
});

/**
 * Returns the credential of a request; undefined for the collection's credential. Requests about keys and accounts need
 * a user's access token.
 */
function authOf({ security, tags }: Operation): object | undefined {
  const [credential] = security.filter((one) => Object.keys(one).length > 0);
  if (!credential || 'passToken' in credential) return { type: 'noauth' };
  return ['auth', 'accounts'].includes(tags[0] ?? '') ? bearer('accessToken') : undefined;
}

function headersOf({ parameters = [], security }: Operation, contentType: string | null): object[] {
  const own = parameters.filter((parameter) => parameter.in === 'header');
  const isForPhones = security.some((one) => 'passToken' in one);
  return [
    ...(contentType === null ? [] : [{ key: 'Content-Type', value: contentType }]),
    ...(isForPhones ? [{ key: 'Authorization', value: 'ApplePass {{passToken}}' }] : []),
    ...own.map(({ name, description: about }) => {
      const isIdempotencyKey = name === 'Idempotency-Key';
      // Let Postman create a new key for each request.
      return { key: name, value: isIdempotencyKey ? '{{$guid}}' : '', disabled: !isIdempotencyKey, description: about };
    }),
  ];
}

function urlOf(path: string, { parameters = [] }: Operation): object {
  const segments = path.slice(1).split('/');
  const shown = segments.map((segment) => segment.replace(/^\{(\w+)\}$/, ':$1'));
  const query = parameters.filter((parameter) => parameter.in === 'query').flatMap(queryOf);
  const sent = query.filter(({ disabled }) => !disabled).map(({ key, value }) => `${key}=${value}`);
  return {
    raw: `{{baseUrl}}/${shown.join('/')}${sent.length > 0 ? `?${sent.join('&')}` : ''}`,
    host: ['{{baseUrl}}'],
    path: shown,
    query: query.length > 0 ? query : undefined,
    variable: parameters
      .filter((parameter) => parameter.in === 'path')
      .map(({ name, description: about }) => ({ key: name, value: `{{${name}}}`, description: about })),
  };
}

function queryOf({ name, required = false, description: about, example, schema }: Parameter) {
  const value = example ?? schema?.example ?? schema?.default ?? schema?.enum?.[0] ?? '';
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.map((one) => ({ key: name, value: String(one), disabled: !required, description: about }));
}

function pathVariables(operations: readonly Operation[]): object[] {
  const values = new Map<string, string>();
  for (const { name, in: where, example, schema } of operations.flatMap(({ parameters = [] }) => parameters)) {
    const given = example ?? schema?.example;
    const value = typeof given === 'string' || typeof given === 'number' ? String(given) : '';
    if (where === 'path') values.set(name, values.get(name) || value);
  }
  return [...values].map(([key, value]) => ({ key, value }));
}

function bodyOf(type: string, { schema, examples = {} }: Media, schemas: Schemas) {
  const [first] = Object.values(examples);
  const value = first?.value ?? (schema ? exampleOf(schema, schemas) : {});
  if (type === 'multipart/form-data') {
    const names = Object.keys(schema?.properties ?? {});
    return { mode: 'formdata', formdata: names.map((key) => ({ key, type: 'file', src: null, disabled: true })) };
  }
  if (type === 'application/x-www-form-urlencoded') {
    const entries = Object.entries(value as object).map(([key, one]) => ({ key, value: String(one) }));
    return { mode: 'urlencoded', urlencoded: entries };
  }
  const raw = typeof value === 'string' ? value : JSON.stringify(withVariables(value), null, 2);
  return { mode: 'raw', raw, options: { raw: { language: type.endsWith('json') ? 'json' : 'text' } } };
}

/** Replaces the refresh token of an example with the variable that the sign-in sets. */
function withVariables(value: unknown): unknown {
  const isToken = typeof value === 'object' && value !== null && 'refreshToken' in value;
  return isToken ? { ...value, refreshToken: '{{refreshToken}}' } : value;
}
