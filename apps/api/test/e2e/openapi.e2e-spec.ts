import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventTypes } from '@passwright/webhooks';
import type { Json } from '../support/json.js';
import { openApi, operationsOf, type Operation } from '../support/operations.js';
import { routeTable } from '../support/route-table.js';
import { RunningService } from '../support/running-service.js';
import { shapeProblems } from '../support/schema-shape.js';

const root = join(__dirname, '../../../..');
let service: RunningService;
/** The document as it is served. */
let served: Json;
let document: Json;
let operations: Map<string, Operation>;

beforeAll(async () => {
  service = await RunningService.start();
  served = (await service.request('GET', '/openapi.json')).body;
  document = await openApi(service);
  operations = new Map(operationsOf(document).map((operation) => [operation.id, operation]));
});
afterAll(() => service.stop());

describe('docs/openapi.json', () => {
  it('docs/openapi.json is the document that the service serves', () => {
    const text = readFileSync(join(root, 'docs/openapi.json'), 'utf8');
    if (JSON.stringify(JSON.parse(text)) !== JSON.stringify(served))
      throw new Error('docs/openapi.json is out of date: run `npm run docs:write` and commit what it writes');
  });

  it('another base URL changes docs/openapi.json only in places that contain the URL', async () => {
    const elsewhere = await RunningService.start({ BASE_URL: 'https://passes.example.com/wallet' });
    const { body, bytes } = await elsewhere.request('GET', '/openapi.json');
    await elsewhere.stop();
    expect(body.servers).toEqual([{ url: 'https://passes.example.com/wallet' }]);
    expect(bytes.toString()).not.toContain('localhost:3000/images');
    const here = bytes.toString().replaceAll('https://passes.example.com/wallet', 'http://localhost:3000');
    expect(JSON.parse(here)).toEqual(served);
  });
});

describe('the document', () => {
  it('the committed document has at most 600 kB', () => {
    expect(readFileSync(join(root, 'docs/openapi.json')).length).toBeLessThan(600_000);
  });

  it('the document describes each response and parameter', () => {
    const described = [...operations.values()].flatMap(({ id, source }) => [
      ...Object.entries<Json>(source.responses).map(([status, { description }]) => [`${id} ${status}`, description]),
      ...((source.parameters ?? []) as Json[]).map(({ name, description }) => [`${id} ${name}`, description]),
    ]);
    expect(described.filter(([, description]) => !description).map(([at]) => at)).toEqual([]);
  });

  it('the document describes each property, directly or in the schema that it refers to', () => {
    const plain = Object.entries<Json>(document.components.schemas).flatMap(([schema, { properties = {} }]) =>
      Object.entries<Json>(properties)
        .filter(([, property]) => !property.description && !property.$ref)
        .map(([name]) => `${schema}.${name}`),
    );
    expect(plain).toEqual([]);
  });

  it("the document's schema names do not end in the class suffix Dto", () => {
    const names = Object.keys(document.components.schemas);
    expect(names.filter((name) => name.endsWith('Dto'))).toEqual([]);
  });

  it('the document has operations for each of its tags', () => {
    const used = new Set([...operations.values()].flatMap(({ source }) => source.tags as string[]));
    expect((document.tags as { name: string }[]).map(({ name }) => name).filter((tag) => !used.has(tag))).toEqual([]);
  });

  it('the document has a webhook for each type of event, with its own schema', () => {
    const { webhooks } = served as { webhooks: Record<string, Json> };
    expect(Object.keys(webhooks)).toEqual(Object.keys(eventTypes));
    for (const [type, { post }] of Object.entries(webhooks)) {
      const [envelope, own] = post.requestBody.content['application/json'].schema.allOf as Json[];
      expect(envelope.$ref).toBe('#/components/schemas/WebhookEventResponse');
      expect(own.properties.type.enum).toEqual([type]);
      const data = document.components.schemas[own.properties.data.$ref.split('/').at(-1) as string];
      expect(Object.keys(data.properties as object).length).toBeGreaterThan(0);
    }
  });
});

describe('every operation', () => {
  it('every operation has a summary, a tag with an explanation, and the failures to expect', () => {
    const tags = (document.tags as { name: string }[]).map(({ name }) => name);
    for (const { id, source, errors } of operations.values()) {
      expect({ id, summary: source.summary }).toEqual({ id, summary: expect.stringMatching(/^[A-Z].{5}/) });
      expect(tags).toEqual(expect.arrayContaining(source.tags as string[]));
      expect({ id, errors }).toEqual({ id, errors: expect.arrayContaining([expect.stringMatching(/^4/)]) });
    }
  });

  it('every operation requires non-empty path parameters, because an empty one would lead to another path', () => {
    for (const { id, source } of operations.values()) {
      for (const { in: place, name, schema } of (source.parameters ?? []) as Json[]) {
        if (place !== 'path' || schema.type !== 'string') continue;
        expect({ id, name, minLength: schema.minLength }).toEqual({ id, name, minLength: 1 });
      }
    }
  });

  it('every operation shows an example of each failure that it declares', () => {
    for (const { id, source, errors } of operations.values()) {
      const shown = Object.entries<Json>(source.responses).flatMap(([status, { content }]) =>
        Object.keys((Number(status) >= 400 && content?.['application/json']?.examples) || {}).map(
          (code) => `${status} ${code}`,
        ),
      );
      expect([id, shown.sort()]).toEqual([id, [...errors].sort()]);
    }
  });

  it('every response example has the shape of its schema', () => {
    const examples = [...operations.values()].flatMap(({ id, source }) =>
      Object.entries<Json>(source.responses).flatMap(([status, response]) => {
        const { schema, examples = {} } = response.content?.['application/json'] ?? {};
        return Object.values<Json>(examples).map((example) => {
          const { value } = example.$ref ? document.components.examples[example.$ref.split('/').at(-1)] : example;
          return [`${id} ${status}`, schema, value] as const;
        });
      }),
    );
    expect(examples.length).toBeGreaterThan(3);
    for (const [name, schema, value] of examples)
      expect([name, shapeProblems(document, schema, value)]).toEqual([name, []]);
  });
});

describe('docs/errors.md', () => {
  const rows = readFileSync(join(root, 'docs/errors.md'), 'utf8').matchAll(/^\| `(\w+)` +\| (\d{3}) +\|/gm);
  const documented = new Map([...rows].map(([, code = '', status]) => [code, Number(status)]));

  it('docs/errors.md lists exactly the codes of the service', () => {
    const source = readFileSync(join(root, 'libs/platform/core/src/errors/app-error.ts'), 'utf8');
    const codes = [...source.matchAll(/^ {2}\| '(\w+)'/gm)].map(([, code]) => code);
    expect(codes.length).toBeGreaterThan(30);
    expect([...documented.keys()].sort()).toEqual(codes.sort());
  });

  it('docs/errors.md gives each code the status of its error class', () => {
    for (const { code, statusCode } of routeTable(service).flatMap(({ errors }) => errors)) {
      expect([code, documented.get(code)]).toEqual([code, statusCode]);
    }
  });
});
