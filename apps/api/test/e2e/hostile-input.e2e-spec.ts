import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { CertificateReader } from '@passwright/core';
import fc from 'fast-check';
import {
  cursors,
  nastyTexts,
  noBodies,
  oddHeaders,
  queryValues,
  rejectedTexts,
  segments,
  wrongMedia,
  wrongTypes,
} from '../support/hostile-values.js';
import { type Leaf, leaves } from '../support/body-leaves.js';
import { deal } from '../support/dealt-values.js';
import { heldPass, type HeldPass } from '../support/held-pass.js';
import { problemOf } from '../support/response-problem.js';
import type { Json } from '../support/json.js';
import { bodySchema, filled, isLenient, openApi, operationsOf, type Operation } from '../support/operations.js';
import { sendRaw, type Raw } from '../support/raw-request.js';
import { RunningService, type Account } from '../support/running-service.js';
import { exampleOf } from '../support/schema-shape.js';

/*
 * Every operation must respond to hostile input with the standard error body or a success, never with a 5xx. The
 * requests are written directly to the connection, because an HTTP client would correct them.
 */
let service: RunningService;
let document: Json;
let operations: Operation[];
let account: Account;
let held: HeldPass;
let person: { uid: string; code: string };
let webhookId: string;
/** A key for operations that do not accept a user's token. */
let key: string;
const agent = new Agent({ keepAlive: true });
const send = (request: Raw) => sendRaw(service.baseUrl, agent, request);
// Each test sends thousands of requests.
jest.setTimeout(240_000);

beforeAll(async () => {
  service = await RunningService.start();
  document = await openApi(service);
  operations = operationsOf(document);
  // Use fixed texts, because creating real keys takes much processor time.
  const made = { privateKeyPem: 'key', requestPem: 'request' };
  jest.spyOn(service.app.get(CertificateReader), 'createRequest').mockResolvedValue(made);
  account = await service.register();
  held = await heldPass(service, (await account.issue('offer', { id: 'ada' })).body.walletAUrl);
  const invited = await account.post('/v1/account/invite', { email: `${randomUUID()}@example.com` });
  key = await account.apiKey('members:read', 'members:write');
  await account.saveTemplate('membership');
  const settings = { templateId: 'membership', reminders: [] };
  await service.request('PUT', '/v1/memberships/settings', { token: key, body: settings });
  const member = { email: 'grace@example.com', name: 'Grace', status: 'active' };
  await service.request('POST', '/v1/memberships/members', { token: key, body: member });
  // The webhook has no address, so nothing is sent.
  webhookId = (await account.post('/v1/webhooks')).body.id;
  person = { uid: (await account.get('/v1/auth/me')).body.uid, code: invited.body.code };
});
afterAll(async () => {
  agent.destroy();
  await service.stop();
});

interface Attempt {
  operation: Operation;
  what: string;
  raw: Raw;
  /** The expected statuses. Default: any well-formed response is acceptable. */
  expected?: number[];
}

/** Sends all requests, several at a time. Fails with a list of the wrong responses. */
async function expectHonestResponses(attempts: Attempt[]): Promise<void> {
  expect(attempts.length).toBeGreaterThan(20);
  const wrong: string[] = [];
  const queue = attempts.values();
  const worker = async () => {
    for (const { operation, what, raw, expected } of queue) {
      const response = await send(raw);
      // Operations without a credential accept only smaller bodies.
      const isTooMuch = response.status === 413 && !operation.secured;
      const unexpected =
        expected && !isTooMuch && !expected.includes(response.status) ? `${response.status}: ${response.text}` : null;
      const problem = problemOf(operation, response) ?? unexpected;
      if (problem) wrong.push(`${operation.id}, ${what.slice(0, 100)}: ${problem.slice(0, 300)}`);
    }
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  expect(wrong).toEqual([]);
}

function authorization({ secured, isForPhones, path }: Operation): Record<string, string> {
  if (isForPhones) return { ...held.headers };
  const token = path.startsWith('/v1/memberships/') ? key : account.token;
  return secured ? { Authorization: `Bearer ${token}` } : {};
}

/** Gives each operation at least `least` of the values, and each value to at least one operation. */
const dealToAll = <Value>(to: Operation[], least: number, values: readonly Value[]) =>
  deal(
    to,
    least,
    () => 'operation',
    () => values,
  );

/** Returns wrong forms of a query parameter that takes one text. */
const forms = (name: string) => [`${name}=1&${name}=2`, `${name}[]=1`, `${name}[a][b]=1`, name];

const takesJson = (operation: Operation) => bodySchema(operation) !== undefined && !isLenient(operation);

/** Builds a raw request. Only some of the resources in its path exist. */
function raw(operation: Operation, { target, headers, body }: Partial<Raw> = {}): Raw {
  return {
    method: operation.method,
    target: target ?? filled(operation.path, parameters()),
    headers: {
      ...authorization(operation),
      ...(body !== undefined && {
        'Content-Type': 'application/json',
        'Content-Length': String(Buffer.byteLength(body)),
      }),
      ...headers,
    },
    body,
  };
}

const parameters = () => ({
  ...{ accountId: account.id, templateId: 'offer', passId: 'ada', memberId: '1', webhookId },
  ...person,
  ...held.parameters,
});

interface Variant {
  operation: Operation;
  schema: Json;
  /** A valid body. */
  body: Record<string, Json>;
  target: string;
}

/** Lists each variant of the body of each JSON operation. */
function variants(): Variant[] {
  return operations.filter(takesJson).flatMap((operation) => {
    const given = bodySchema(operation);
    // The schema of a body with variants (`oneOf`) has a name.
    const named = document.components.schemas[given.$ref?.split('/').at(-1) as string];
    const schema = named?.oneOf ? named : given;
    return ((schema.oneOf ?? [schema]) as Json[]).map((variant) => {
      const body = rightBody(operation, variant);
      // Use one template per type, so that its images are prepared only once.
      const templateId = operation.id === 'upsertTemplate' ? `hostile-${body.type}` : 'offer';
      const target = filled(operation.path, { ...parameters(), templateId });
      return {
        operation,
        schema: document.components.schemas[(variant.$ref as string).split('/').at(-1) as string],
        body,
        target,
      };
    });
  });
}

/**
 * Builds a valid body from the document's examples. Omits examples that only some types of template or some
 * combinations of properties allow.
 */
function rightBody({ id, path }: Operation, schema: Json): Record<string, Json> {
  return {
    ...exampleOf(document, schema),
    ...(['register', 'login', 'createMember', 'updateMember'].includes(id) && {
      email: `${randomUUID()}@example.com`,
    }),
    // A body may identify a holder in only one of two ways.
    ...(path.startsWith('/v1/privacy') && { templateId: undefined, passId: undefined }),
    ...(path.startsWith('/v1/pass') && {
      id: undefined,
      code: undefined,
      primaryValue: undefined,
      thumbnail: undefined,
      translations: undefined,
    }),
  };
}

describe('every operation that takes JSON', () => {
  /** Builds bodies with one replaced property each, for each variant and for the properties of inner objects. */
  function eachProperty(
    least: number,
    texts: (property: Json, isRequired: boolean) => string[],
    expected?: number[],
  ): Attempt[] {
    // Variants share inner objects, which need only one test.
    const tried = new Set<string>();
    const isNew = ({ id }: Operation, { at }: Leaf) => {
      const isKnown = tried.has(`${id} ${at}`);
      tried.add(`${id} ${at}`);
      return !isKnown || !at.includes('.');
    };
    const places = variants().flatMap((variant) =>
      leaves(document, variant.schema)
        .filter((leaf) => isNew(variant.operation, leaf))
        .map((leaf) => ({ ...variant, ...leaf, texts: texts(leaf.property, leaf.isRequired) })),
    );
    const dealt = deal(
      places,
      least,
      (place) => `${place.at} ${place.texts.join()}`,
      (place) => place.texts,
    );
    return dealt.map(([{ operation, target, body, at, inBody }, text]) => ({
      operation,
      what: `${at}: ${text}`,
      raw: raw(operation, { target, body: inBody(body, text) }),
      expected,
    }));
  }

  it('every operation accepts its example bodies, unless they need real credentials', async () => {
    // Operations whose examples contain shortened credentials.
    const placeholders = [
      ...['login', 'refreshTokens', 'switchAccount'],
      ...['resetPassword', 'confirmEmail', 'changePassword', 'changeEmail', 'deleteAccount'],
    ];
    // The examples contain no valid certificate and no whole key.
    const uploads = ['saveAppleCertificate', 'saveGoogleServiceAccount'];
    // The service has no identity provider, so no code is valid.
    const switchedOff = ['redeemSignInCode', 'confirmSignIn'];
    for (const { operation, body, target } of variants()) {
      const { status, text } = await send(raw(operation, { target, body: JSON.stringify(body) }));
      const expected = placeholders.includes(operation.id)
        ? [401, 403]
        : uploads.includes(operation.id)
          ? [400]
          : switchedOff.includes(operation.id)
            ? [404]
            : [200, 201, 202, 204];
      expect({ id: operation.id, status, text }).toEqual({
        id: operation.id,
        status,
        text: expected.includes(status) ? text : '',
      });
    }
  });

  it('400 for a property of a wrong type, and for null in a required property', () =>
    expectHonestResponses(
      eachProperty(
        3,
        (property, isRequired) => [...wrongTypes(document, property), ...(isRequired ? ['null'] : [])],
        [400],
      ),
    ));

  it('400 for text in a property that a database cannot store', () =>
    expectHonestResponses(eachProperty(2, () => rejectedTexts, [400])));

  it('each operation accepts or rejects texts that break careless code, and returns no 5xx', () =>
    expectHonestResponses(
      eachProperty(4, ({ type }) => (type === 'string' ? nastyTexts : [])).filter(({ what }) => !what.includes('].')),
    ));

  it('400 for a malformed body', () =>
    expectHonestResponses(
      dealToAll(operations.filter(takesJson), 8, noBodies).map(([operation, { what, text }]) => ({
        operation,
        what,
        raw: raw(operation, { body: text }),
        expected: [400],
      })),
    ));

  it('400 for a body that is not UTF-8', () =>
    expectHonestResponses(
      operations.filter(takesJson).flatMap((operation) =>
        ['c3', 'eda080', 'fffe7b007d00'].map((hex) => ({
          operation,
          what: hex,
          raw: raw(operation, { body: Buffer.from(`7b2261223a22${hex}227d`, 'hex') }),
          expected: [400],
        })),
      ),
    ));

  it('400 or 415 for another media type, charset or encoding', () =>
    expectHonestResponses(
      dealToAll(operations.filter(takesJson), 4, wrongMedia).map(([operation, headers]) => ({
        operation,
        what: JSON.stringify(headers),
        raw: raw(operation, { body: '{}', headers }),
        expected: [400, 415],
      })),
    ));

  it('each operation responds to any JSON value, and returns no 5xx', async () => {
    const chosen = operations.filter((operation) => takesJson(operation) && operation.secured);
    const names = variants().flatMap(({ schema }) => Object.keys(schema.properties as object));
    const json = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), fc.jsonValue()),
    );
    const property = fc.asyncProperty(fc.constantFrom(...chosen), json, async (operation, value) => {
      const response = await send(raw(operation, { body: JSON.stringify(value) }));
      expect(problemOf(operation, response)).toBeNull();
    });
    await fc.assert(property, { numRuns: 300 });
  });
});

describe('every operation', () => {
  it('each operation responds to odd path segments, and returns no 5xx', () =>
    expectHonestResponses(
      deal(
        operations.flatMap((operation) =>
          [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({ operation, name })),
        ),
        5,
        ({ name }) => name,
        () => segments,
      ).map(([{ operation, name }, segment]) => ({
        operation,
        what: `${name} = ${segment}`,
        raw: raw(operation, { target: filled(operation.path, { ...parameters(), [name]: segment }) }),
      })),
    ));

  it('each operation responds to any bytes as a path segment or a query in the standard form', async () => {
    const escaped = fc.uint8Array({ maxLength: 12 }).map((bytes) => Array.from(bytes, escapedByte).join(''));
    const property = fc.asyncProperty(fc.constantFrom(...operations), escaped, async (operation, text) => {
      const path = operation.path.replaceAll(/\{\w+\}/g, () => text);
      for (const target of [path, `${filled(operation.path, parameters())}?${text}`, `${path}?limit=${text}`]) {
        expect(problemOf(operation, await send(raw(operation, { target })))).toBeNull();
      }
    });
    await fc.assert(property, { numRuns: 150 });
  });

  it('each operation responds to odd, repeated, nested and unknown query parameters, and returns no 5xx', () => {
    const places = operations.flatMap((operation) => {
      const all = (operation.source.parameters ?? []) as Json[];
      const known = all.filter((parameter) => parameter.in === 'query').map(({ name }) => name as string);
      return [
        {
          operation,
          kind: 'whole',
          least: 3,
          queries: ['?', '&&&', '=', '=x', '%00=1', '%E0%A4%A=1', 'a=1&'.repeat(2000)],
        },
        { operation, kind: 'unknown', least: 3, queries: [...forms('colour'), ...forms('__proto__')] },
        ...known.flatMap((name) => [
          { operation, kind: `form of ${name}`, least: 2, queries: forms(name) },
          { operation, kind: name, least: 4, queries: queryValues.map((value) => `${name}=${value}`) },
        ]),
      ];
    });
    return expectHonestResponses(
      deal(
        places,
        ({ least }) => least,
        ({ kind }) => kind,
        ({ queries }) => queries,
      ).map(([{ operation }, query]) => ({
        operation,
        what: query,
        raw: raw(operation, { target: `${filled(operation.path, parameters())}?${query}` }),
      })),
    );
  });

  it('400 for a cursor that the list has not issued', () =>
    expectHonestResponses(
      operations
        .filter(({ id }) => ['listApiKeys', 'listInvites', 'listTemplates', 'listPasses'].includes(id))
        .flatMap((operation) =>
          cursors.map((cursor) => ({
            operation,
            what: cursor,
            raw: raw(operation, { target: `${filled(operation.path, parameters())}?cursor=${cursor}` }),
            expected: [400],
          })),
        ),
    ));

  it('each operation responds to odd and repeated headers, and returns no 5xx', () =>
    expectHonestResponses(
      deal(
        operations.flatMap((operation) =>
          Object.entries(oddHeaders).map(([kind, headers]) => ({ operation, kind, headers })),
        ),
        1,
        // Only some methods take conditions and idempotency keys.
        ({ operation, kind }) => `${operation.method} ${kind}`,
        ({ headers }) => headers,
      ).map(([{ operation }, headers]) => ({
        operation,
        what: JSON.stringify(headers),
        raw: raw(operation, { headers }),
      })),
    ));

  it('431 for headers over 16 KiB, with the standard error body', () =>
    expectHonestResponses(
      operations.map((operation) => ({
        operation,
        what: 'huge header',
        raw: raw(operation, { headers: { 'X-Huge': 'x'.repeat(20_000), Connection: 'close' } }),
        expected: [431],
      })),
    ));

  const isNone = (path: string) => (method: string) =>
    !operations.some((other) => other.path === path && other.method === method);

  it('405 method_not_allowed for methods that the path does not have', () =>
    expectHonestResponses(
      operations.flatMap((operation) =>
        ['PUT', 'TRACE', 'PROPFIND', 'REPORT'].filter(isNone(operation.path)).map((method) => ({
          operation,
          what: method,
          raw: { ...raw(operation), method },
          expected: [405],
        })),
      ),
    ));
});

describe('the upload of images', () => {
  const boundary = 'b';
  const part = (head: string, content: string | Buffer = 'x') =>
    Buffer.concat([Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), Buffer.from(content), Buffer.from('\r\n')]);
  const file = (name: string, content: string | Buffer = 'x') =>
    part(`Content-Disposition: form-data; name="${name}"; filename="a.png"`, content);
  const end = Buffer.from(`--${boundary}--\r\n`);
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452ffffffffffffffff0806000000', 'hex');

  it.each<[what: string, body: Buffer, type?: string]>([
    ['nothing', Buffer.alloc(0)],
    ['no part', end],
    ['a part that does not end', file('icon')],
    ['a part without a name', Buffer.concat([part('Content-Disposition: form-data'), end])],
    ['a part without a disposition', Buffer.concat([part('Content-Type: image/png'), end])],
    ['a text field', Buffer.concat([part('Content-Disposition: form-data; name="icon"'), end])],
    ['an unknown part', Buffer.concat([file('photo'), end])],
    ['a part named __proto__', Buffer.concat([file('__proto__'), end])],
    ['a field named __proto__[x]', Buffer.concat([part('Content-Disposition: form-data; name="__proto__[x]"'), end])],
    ['a part named icon[]', Buffer.concat([file('icon[]'), end])],
    ['a part twice', Buffer.concat([file('icon'), file('icon'), end])],
    ['a hundred parts', Buffer.concat([...Array.from({ length: 100 }, () => file('icon')), end])],
    ['a name of 20,000 characters', Buffer.concat([file('x'.repeat(20_000)), end])],
    [
      'a part of 20,000 headers',
      Buffer.concat([part('X: y\r\n'.repeat(20_000) + 'Content-Disposition: form-data; name="icon"'), end]),
    ],
    ['an empty file', Buffer.concat([file('icon', ''), end])],
    ['a PNG that claims 4 billion pixels by 4 billion', Buffer.concat([file('icon', png), end])],
    ['an SVG', Buffer.concat([file('icon', '<svg xmlns="http://www.w3.org/2000/svg"/>'), end])],
    ['no boundary', Buffer.concat([file('icon'), end]), 'multipart/form-data'],
    ['another boundary', Buffer.concat([file('icon'), end]), 'multipart/form-data; boundary=c'],
    ['an endless boundary', Buffer.concat([file('icon'), end]), `multipart/form-data; boundary=${'b'.repeat(5000)}`],
    ['two boundaries', Buffer.concat([file('icon'), end]), 'multipart/form-data; boundary=b; boundary=c'],
    ['another form type', Buffer.concat([file('icon'), end]), 'multipart/mixed; boundary=b'],
    ['nothing of another form type', Buffer.alloc(0), 'multipart/mixed; boundary=b'],
    ['nothing without a boundary', Buffer.alloc(0), 'multipart/form-data'],
  ])(
    '400 or 415 for an image upload with %s',
    async (_what, body, type = `multipart/form-data; boundary=${boundary}`) => {
      const operation = operations.find(({ id }) => id === 'uploadTemplateImages') as Operation;
      const response = await send(raw(operation, { body, headers: { 'Content-Type': type } }));
      expect(problemOf(operation, response)).toBeNull();
      expect([400, 415]).toContain(response.status);
    },
  );
});

function escapedByte(byte: number): string {
  return `%${byte.toString(16).padStart(2, '0')}`;
}
