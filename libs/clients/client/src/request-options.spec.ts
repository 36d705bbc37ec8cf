import { Passwright } from './index.js';
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

it.each([undefined, null, 'localhost:3000', 'passes.example.com', 'ftp://passes.example.com'])(
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
