import { randomUUID } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import Ajv from 'ajv';
import { RunningService } from '../support/running-service.js';
import { operationsOf } from '../support/operations.js';
import format from '../support/postman-collection.schema.json';

interface Item {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly auth?: { readonly type: string; readonly bearer?: readonly { readonly value: string }[] };
    readonly header: readonly { readonly key: string; readonly value: string; readonly disabled?: boolean }[];
    readonly url: {
      readonly raw: string;
      readonly variable: readonly { readonly key: string; readonly value: string }[];
    };
    readonly body?: { readonly mode: string; readonly raw?: string };
  };
  readonly event?: readonly { readonly script: { readonly exec: readonly string[] } }[];
}

interface Collection {
  readonly auth: Item['request']['auth'];
  readonly variable: readonly { readonly key: string; readonly value: string }[];
  readonly item: readonly { readonly name: string; readonly item: readonly Item[] }[];
}

let service: RunningService;
let collection: Collection;
/** The variables of the collection, as Postman keeps them. */
let variables: Map<string, string>;

beforeAll(async () => {
  service = await RunningService.start();
  collection = (await service.request('GET', '/postman.json')).body;
  variables = new Map(collection.variable.map(({ key, value }) => [key, value]));
  variables.set('baseUrl', service.baseUrl);
});
afterAll(() => service.stop());

const filled = (text: string) =>
  text.replace(/\{\{(\$?\w+)\}\}/g, (whole, name: string) =>
    name === '$guid' ? randomUUID() : (variables.get(name) ?? whole),
  );

/**
 * Sends a request as Postman does, and runs its script.
 * @param change changes the body as a person would
 */
async function send(folder: string, name: string, change: (body: object) => object = (body) => body) {
  const item = collection.item.find((one) => one.name === folder)?.item.find((one) => one.name === name);
  if (!item) throw new Error(`The collection has no request ${folder} / ${name}.`);
  const { method, url, header, body, auth = collection.auth } = item.request;
  const path = url.variable.reduce((raw, { key, value }) => raw.replace(`:${key}`, value), url.raw);
  const token = auth?.bearer?.[0]?.value;
  const response = await service.request(method, filled(path), {
    headers: Object.fromEntries(
      header.filter(({ disabled }) => !disabled).map(({ key, value }) => [key, filled(value)]),
    ),
    ...(token !== undefined && { token: filled(token) }),
    ...(body?.raw !== undefined && { body: change(JSON.parse(filled(body.raw)) as object) }),
  });
  const pm = {
    response: { code: response.status, json: () => response.body as unknown },
    collectionVariables: { set: (key: string, value: unknown) => variables.set(key, String(value)) },
  };
  for (const { script } of item.event ?? []) runInNewContext(script.exec.join('\n'), { pm });
  return response;
}

it('the collection is valid in the format 2.1 of Postman', () => {
  const validate = new Ajv({ strict: false }).compile(format);
  validate(collection);
  expect(validate.errors).toBeNull();
  expect(validate({ ...collection, item: [{ name: 'no request' }] })).toBe(false);
});

it('the collection has each operation of the API once, in the groups of the document', async () => {
  const { body: document } = await service.request('GET', '/openapi.json');
  const sent = collection.item.flatMap(({ name, item }) =>
    item.map(({ request: { method, url } }) => `${name} ${method} ${url.raw.replace('{{baseUrl}}', '').split('?')[0]}`),
  );
  const expected = operationsOf(document).map(
    ({ method, path, source }) => `${source.tags[0]} ${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
  );
  expect(sent.sort()).toEqual(expected.sort());
});

it('the collection declares every variable that a request uses, and has the address of the service', async () => {
  const declared = new Set(['$guid', ...collection.variable.map(({ key }) => key)]);
  const used = JSON.stringify(collection.item).matchAll(/\{\{(\$?\w+)\}\}/g);
  expect([...new Set([...used].map(([, name]) => name))].filter((name) => !declared.has(name ?? ''))).toEqual([]);
  const elsewhere = await RunningService.start({ BASE_URL: 'https://passes.example.com/wallet' }, service);
  const { body } = await elsewhere.request('GET', '/postman.json');
  await elsewhere.stop();
  expect(body.variable[0]).toEqual({ key: 'baseUrl', value: 'https://passes.example.com/wallet' });
});

it('a person registers, makes a key, saves a template and issues a pass without copying a token or an id', async () => {
  const email = `${randomUUID()}@example.com`;
  const steps = [
    await send('auth', 'Register a user', (body) => ({ ...body, email })),
    await send('auth', 'Create an API key'),
    await send('templates', 'Create or replace a template'),
    await send('passes', 'Issue a pass'),
    await send('passes', 'Read a pass'),
    await send('auth', 'Refresh the tokens'),
  ];
  expect(steps.map(({ status }) => status)).toEqual([201, 201, 200, 201, 200, 200]);
  expect(variables.get('key')).toMatch(/^pw_live_/);
  expect(steps[4]?.body.pass.id).toBe(variables.get('passId'));
});
