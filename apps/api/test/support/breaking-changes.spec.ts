import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { breakingChanges, mayBreak } from './breaking-changes.js';
import type { Json } from './breaking-schema-changes.js';

const document: Json = JSON.parse(readFileSync(join(__dirname, '../../../../docs/openapi.json'), 'utf8'));

/** A small contract with an example of everything that can break. */
const contract = (): Json => ({
  paths: {
    '/things/{id}': {
      post: {
        operationId: 'changeThing',
        tags: ['mcp'],
        security: [{ bearer: [] }, {}],
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'q', in: 'query', required: false, schema: { type: 'string', enum: ['a', 'b'] } },
        ],
        requestBody: {
          required: false,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Write' } }, 'text/csv': {} },
        },
        responses: {
          200: {
            headers: { ETag: {} },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
          },
          404: {},
        },
      },
    },
  },
  components: {
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    schemas: {
      Write: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 10, nullable: true },
          size: { type: 'number', maximum: 5 },
          tags: { type: 'array', maxItems: 3, items: { type: 'string' } },
          data: { type: 'object', additionalProperties: { type: 'string' } },
          shape: { oneOf: [{ $ref: '#/components/schemas/Round' }, { $ref: '#/components/schemas/Square' }] },
        },
      },
      Round: { type: 'object', required: ['kind'], properties: { kind: { type: 'string', enum: ['round'] } } },
      Square: { type: 'object', required: ['kind'], properties: { kind: { type: 'string', enum: ['square'] } } },
      Thing: {
        allOf: [
          { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
          {
            type: 'object',
            required: ['state'],
            properties: {
              state: { type: 'string', enum: ['new', 'old'] },
              at: { type: 'string', format: 'date-time' },
              parents: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
            },
          },
        ],
      },
    },
  },
});
const operation = (of: Json) => of.paths['/things/{id}'].post;
const write = (of: Json) => of.components.schemas.Write;
const thing = (of: Json) => of.components.schemas.Thing.allOf[1];

/** Returns the problems that a change of the contract causes. */
function said(change: (of: Json) => unknown): string {
  const after = contract();
  change(after);
  return breakingChanges(contract(), after)
    .map((problem) => problem.replace('POST /things/{id}: ', ''))
    .join('; ');
}

it.each<[string, (of: Json) => unknown]>([
  ['POST /things/{id} is gone', (of) => delete of.paths['/things/{id}']],
  ['POST /things/{id} is gone', (of) => delete of.paths['/things/{id}'].post],
  ['its id is alterThing, was changeThing', (of) => (operation(of).operationId = 'alterThing')],
  ['is no longer tagged mcp, so agents lose the tool', (of) => (operation(of).tags = [])],
  ['no credential is no longer enough', (of) => operation(of).security.pop()],
  [
    'bearer is no longer enough; no credential is no longer enough',
    (of) => (operation(of).security = [{ bearer: ['admin'] }]),
  ],
  ['credential bearer is sent in another way', (of) => (of.components.securitySchemes.bearer.scheme = 'basic')],
  ['query parameter q is gone', (of) => operation(of).parameters.pop()],
  ['query parameter q is required now', (of) => (operation(of).parameters[1].required = true)],
  [
    'query parameter r is required now',
    (of) => operation(of).parameters.push({ name: 'r', in: 'query', required: true }),
  ],
  ['query parameter q cannot be b any more', (of) => operation(of).parameters[1].schema.enum.pop()],
  ['path parameter id has pattern ^x, had none', (of) => (operation(of).parameters[0].schema.pattern = '^x')],
  ['path parameter id has minLength 2, had 1', (of) => (operation(of).parameters[0].schema.minLength = 2)],
  ['path parameter id has the format uuid, had none', (of) => (operation(of).parameters[0].schema.format = 'uuid')],
  ['the body is required now', (of) => (operation(of).requestBody.required = true)],
  ['takes no body any more', (of) => delete operation(of).requestBody],
  ['body cannot be text/csv any more', (of) => delete operation(of).requestBody.content['text/csv']],
  ['body.size is required now', (of) => write(of).required.push('size')],
  ['body.size is not taken any more', (of) => delete write(of).properties.size],
  ['body.size is integer, was number', (of) => (write(of).properties.size.type = 'integer')],
  ['body.size has maximum 4, had 5', (of) => (write(of).properties.size.maximum = 4)],
  ['body.size has minimum 1, had none', (of) => (write(of).properties.size.minimum = 1)],
  ['body.name has maxLength 9, had 10', (of) => (write(of).properties.name.maxLength = 9)],
  ['body.name has minLength 2, had 1', (of) => (write(of).properties.name.minLength = 2)],
  ['body.name cannot be null now', (of) => delete write(of).properties.name.nullable],
  ['body.name cannot be other values any more', (of) => (write(of).properties.name.enum = ['x'])],
  ['body.tags has maxItems 2, had 3', (of) => (write(of).properties.tags.maxItems = 2)],
  ['body.tags[] has maxLength 5, had none', (of) => (write(of).properties.tags.items.maxLength = 5)],
  ['body.tags[] is integer, was string', (of) => (write(of).properties.tags.items.type = 'integer')],
  ['body.data.* has maxLength 5, had none', (of) => (write(of).properties.data.additionalProperties.maxLength = 5)],
  [
    'body.data takes no properties of any name any more',
    (of) => (write(of).properties.data.additionalProperties = false),
  ],
  ['body.shape.kind cannot be square any more', (of) => write(of).properties.shape.oneOf.pop()],
  ['no longer returns 200', (of) => delete operation(of).responses[200]],
  ['200 has no header ETag any more', (of) => delete operation(of).responses[200].headers.ETag],
  ['200 cannot be application/json any more', (of) => (operation(of).responses[200].content = {})],
  ['200.at is gone', (of) => delete thing(of).properties.at],
  ['200.state may be missing now', (of) => thing(of).required.pop()],
  ['200.state is boolean, was string', (of) => (thing(of).properties.state = { type: 'boolean' })],
  ['200.at has the format date, had date-time', (of) => (thing(of).properties.at.format = 'date')],
  ['200.at can be null now', (of) => (thing(of).properties.at.nullable = true)],
  ['200.parents is string, was array', (of) => (thing(of).properties.parents = { type: 'string' })],
])('a breaking change is reported: %s', (problem, change) => {
  expect(said(change)).toBe(problem);
});

it.each<[string, (of: Json) => unknown]>([
  ['another operation', (of) => (of.paths['/more'] = { get: { operationId: 'more', responses: {} } })],
  ['an optional parameter', (of) => operation(of).parameters.push({ name: 'r', in: 'query', schema: {} })],
  ['an optional property of a body', (of) => (write(of).properties.more = { type: 'string' })],
  ['a wider limit', (of) => (write(of).properties.name.maxLength = 11)],
  ['a removed limit', (of) => delete write(of).properties.name.minLength],
  ['another accepted value', (of) => operation(of).parameters[1].schema.enum.push('c')],
  ['another accepted variant', (of) => write(of).properties.shape.oneOf.push({ type: 'object' })],
  ['a property that is no longer required', (of) => write(of).required.pop()],
  ['a way to authenticate that requires less', (of) => (operation(of).security = [{}])],
  [
    'a path parameter that is not empty, which it never was',
    (of) => (operation(of).parameters[0].schema.minLength = 1),
  ],
  ['another property of a response', (of) => (thing(of).properties.more = { type: 'string' })],
  ['another value in a response', (of) => thing(of).properties.state.enum.push('older')],
  ['a response that is never missing now', (of) => thing(of).required.push('at')],
  [
    'another status, and a removed failure',
    (of) => (operation(of).responses = { 200: operation(of).responses[200], 202: {}, 409: {} }),
  ],
  ['another description', (of) => (operation(of).description = 'More.')],
  [
    'another name of a schema',
    (of) => {
      of.components.schemas.Renamed = write(of);
      operation(of).requestBody.content['application/json'].schema.$ref = '#/components/schemas/Renamed';
    },
  ],
])('a compatible change is not reported: %s', (_, change) => {
  expect(said(change)).toBe('');
});

it('a document has no breaking change compared with itself, and one for each removed operation', () => {
  expect(breakingChanges(document, document)).toEqual([]);
  const paths = Object.keys(document.paths as object);
  fc.assert(
    fc.property(fc.subarray(paths, { maxLength: 3 }), (some) => {
      const stored = Object.fromEntries(
        Object.entries(document.paths as object).filter(([path]) => !some.includes(path)),
      );
      const after = { ...document, paths: stored };
      const gone = some.reduce((count, path) => count + Object.keys(document.paths[path] as object).length, 0);
      expect(breakingChanges(document, after)).toHaveLength(gone);
      expect(breakingChanges(after, document)).toEqual([]);
    }),
    { numRuns: 10 },
  );
});

it.each([
  ['0.1.0', '0.1.9', false],
  ['0.1.9', '0.2.0', true],
  ['0.9.0', '1.0.0', true],
  ['1.0.0', '1.9.0', false],
  ['1.9.0', '2.0.0', true],
  ['2.0.0', '1.0.0', false],
  ['0.2.0', '0.1.0', false],
])('mayBreak says whether the step from version %s to %s may break the contract: %s', (before, after, expected) => {
  expect(mayBreak(before, after)).toBe(expected);
});
