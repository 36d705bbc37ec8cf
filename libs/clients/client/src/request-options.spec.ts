import { Passwright, PasswrightError } from './index.js';
import { json, rejection, ScriptedService } from './scripted-service.fixtures.js';

let service: ScriptedService;
let passwright: Passwright;

beforeAll(async () => {
  service = await ScriptedService.start();
  passwright = new Passwright({ baseUrl: service.baseUrl, token: 'key' });
});
afterAll(() => service.stop());

const soon = { 'Retry-After': '0' };
const create = (options: object) =>
  passwright.createPass({ templateId: 'gold', body: { primaryValue: 'Ada' }, ...options });

it.each(['Idempotency-Key', 'idempotency-key'])(
  'an idempotency key among the headers of a call (%s) replaces the key that the client would generate',
  async (name) => {
    service.script(rejection(503, 'not_ready', soon), json(201, {}));
    await create({ headers: { [name]: 'order-17' } });
    expect(service.received.map(({ headers }) => headers['idempotency-key'])).toEqual(['order-17', 'order-17']);
  },
);

it('a header of a call replaces the client’s header of the same name in any letter case', async () => {
  service.script(json(200, {}));
  await passwright.getAccount({ headers: { authorization: 'Bearer other', 'user-agent': 'shop/1' } });
  expect(service.received[0]?.headers).toMatchObject({ authorization: 'Bearer other', 'user-agent': 'shop/1' });
});

it('an entity tag among the headers of a call reaches the service, as ifMatch does', async () => {
  service.script(json(200, {}));
  await create({ headers: { 'If-Match': '"7"' } });
  expect(service.received[0]?.headers['if-match']).toBe('"7"');
});

it('a call sends its body as JSON, even if its headers have another content type', async () => {
  service.script(json(201, {}));
  await create({ headers: { 'content-type': 'text/plain' } });
  expect(service.received[0]?.headers['content-type']).toBe('application/json');
});

it.each([Infinity, 2 ** 31, 1e12])('a call with a time limit of %d ms waits for the response', async (timeoutMs) => {
  service.script((response, received) => void setTimeout(() => json(201, { id: 'ada' })(response, received), 20));
  await expect(create({ timeoutMs, retries: 0 })).resolves.toEqual({ id: 'ada' });
});

it.each([undefined, null, '', 'localhost:3000', 'passes.example.com', 'ftp://passes.example.com'])(
  'a client for the address %p fails at once, and its error says what an address looks like',
  (baseUrl) => {
    expect(() => new Passwright({ baseUrl: baseUrl as string })).toThrow(
      new TypeError(`baseUrl is ${JSON.stringify(baseUrl)}, not an address such as https://passes.example.com.`),
    );
  },
);

it('an error that a hook throws reaches the caller unchanged, and the call is not retried', async () => {
  const failure = new Error('The logger is full.');
  const hooked = (hook: 'onRequest' | 'onResponse') =>
    new Passwright({
      baseUrl: service.baseUrl,
      [hook]: () => {
        throw failure;
      },
    });
  service.script(json(200, {}));
  await expect(hooked('onRequest').getAccount()).rejects.toBe(failure);
  await expect(hooked('onResponse').getAccount()).rejects.toBe(failure);
  expect(service.received).toHaveLength(1);
});

it.each([
  { idempotencyKey: '' },
  { headers: { 'Idempotency-Key': '' } },
  { idempotencyKey: '', headers: { 'idempotency-key': '' } },
])('a call with the empty idempotency key %j sends a generated one in each attempt', async (options) => {
  service.script(rejection(503, 'not_ready', soon), json(201, {}));
  await create(options);
  const [first, second] = service.received.map(({ headers }) => headers['idempotency-key']);
  expect(first).toMatch(/^.{20,}$/);
  expect(second).toBe(first);
});

it('an empty option idempotencyKey keeps the key among the headers of the call', async () => {
  service.script(json(201, {}));
  await create({ idempotencyKey: '', headers: { 'idempotency-key': 'order-17' } });
  expect(service.received[0]?.headers['idempotency-key']).toBe('order-17');
});

it.each(['onRequest', 'onResponse'])('a call whose hook %s throws a 503 of its own is not retried', async (hook) => {
  const failure = new PasswrightError('Not now.', { code: 'not_ready', statusCode: 503, retryAfterSeconds: 0 });
  let calls = 0;
  const throwing = () => {
    calls++;
    throw failure;
  };
  service.script(json(200, {}));
  const client = new Passwright({ baseUrl: service.baseUrl, [hook]: throwing });
  await expect(client.getAccount()).rejects.toBe(failure);
  expect(calls).toBe(1);
});

it.each([
  ['the hook onResponse throws', 200],
  ['the response is a redirect', 302],
])('a call ends its response if %s', async (_, status) => {
  const cancel = jest.fn();
  const fetch = () =>
    Promise.resolve(new Response(new ReadableStream({ cancel }), { status, headers: { Location: '/v2' } }));
  const onResponse = () => {
    if (status === 200) throw new Error('The logger is full.');
  };
  await expect(new Passwright({ baseUrl: service.baseUrl, fetch, onResponse }).getAccount()).rejects.toThrow();
  expect(cancel).toHaveBeenCalled();
});

it('a client in a page of a browser accepts an empty address, which is that of the page', () => {
  Object.assign(globalThis, { location: {} });
  expect(() => new Passwright({ baseUrl: '' })).not.toThrow();
  delete (globalThis as { location?: unknown }).location;
});
