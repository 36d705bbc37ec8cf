import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import {
  ConnectionFailed,
  etagOf,
  PassExists,
  Passwright,
  PasswrightError,
  type PasswrightOptions,
  PreconditionFailed,
  RateLimited,
  responseOf,
  TimedOut,
  toArray,
  UnexpectedResponse,
} from './index.js';
import { breaks, json, rejection, ScriptedService, silence } from './scripted-service.fixtures.js';

let service: ScriptedService;
let passwright: Passwright;

beforeAll(async () => {
  service = await ScriptedService.start();
  passwright = client();
});
afterAll(() => service.stop());

const client = (options: Partial<PasswrightOptions> = {}) =>
  new Passwright({ baseUrl: service.baseUrl, token: 'key', ...options });
const soon = { 'Retry-After': '0' };
const pass = { pass: { id: 'ada' } };
const create = (options: object = {}) =>
  passwright.createPass({ templateId: 'gold', body: { primaryValue: 'Ada' }, ...options });
const failureOf = async (call: Promise<unknown>): Promise<PasswrightError> => {
  const error: unknown = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof PasswrightError) return error;
  throw new Error('The call succeeded, or failed with something else.', { cause: error });
};

describe('a call', () => {
  it('a call sends its token and parameters, and returns the response body', async () => {
    service.script(json(201, pass));
    await expect(passwright.createPass({ templateId: 'gold club', body: { primaryValue: 'Ada' } })).resolves.toEqual(
      pass,
    );
    expect(service.received[0]).toMatchObject({
      method: 'POST',
      url: '/v1/pass/gold%20club',
      headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
      body: '{"primaryValue":"Ada"}',
    });
    service.script(json(200, { data: [], nextCursor: null }));
    await passwright.listPasses({ templateId: 'gold', voided: false, code: 'a&b' });
    expect(service.received[0]).toMatchObject({ url: '/v1/pass/gold?voided=false&code=a%26b', body: '' });
    expect(service.received[0]?.headers).not.toHaveProperty('content-type');
  });

  it('a call runs its token function before each attempt, and accepts a base URL that ends with /v1/', async () => {
    let number = 0;
    const other = client({ baseUrl: `${service.baseUrl}/v1/`, token: () => Promise.resolve(`token-${++number}`) });
    service.script(rejection(503, 'not_ready', soon), json(200, {}));
    await other.getAccount();
    expect(service.received.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/v1/account', 'Bearer token-1'],
      ['/v1/account', 'Bearer token-2'],
    ]);
  });

  it('a call returns text and bytes unchanged, and undefined for an empty response', async () => {
    service.script((response) => response.writeHead(204).end());
    await expect(passwright.deletePass({ templateId: 'gold', passId: 'ada' })).resolves.toBeUndefined();
    service.script((response) => response.writeHead(200, { 'Content-Type': 'image/svg+xml' }).end('<svg/>'));
    await expect(passwright.previewTemplate({ templateId: 'gold' })).resolves.toBe('<svg/>');
    service.script((response) => response.writeHead(200, { 'Content-Type': 'image/png' }).end(Buffer.from([137, 80])));
    await expect(passwright.previewTemplate({ templateId: 'gold' })).resolves.toEqual(new Uint8Array([137, 80]));
  });

  it('a call sends images as multipart form data', async () => {
    service.script(json(200, {}));
    const body = new FormData();
    body.set('icon', new Blob(['png'], { type: 'image/png' }), 'icon.png');
    await passwright.uploadTemplateImages({ templateId: 'gold', body });
    expect(service.received[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(service.received[0]?.body).toContain('filename="icon.png"');
  });

  it('an id with dots, slashes or question marks never changes the path of a call', async () => {
    service.script(json(200, {}));
    for (const passId of ['..', '.', '', undefined as unknown as string]) {
      await expect(passwright.deletePass({ templateId: 'gold', passId })).rejects.toThrow(TypeError);
    }
    expect(service.received).toHaveLength(0);
    await passwright.getPass({ templateId: 'gold', passId: '../x?y#z' });
    expect(service.received[0]?.url).toBe('/v1/pass/gold/..%2Fx%3Fy%23z');
  });

  it('a call can send the entity tag of an earlier response as ifMatch', async () => {
    service.script(json(200, pass, { ETag: '"7"' }), rejection(412, 'precondition_failed'));
    const read = await passwright.getPass({ templateId: 'gold', passId: 'ada' });
    const change = { templateId: 'gold', passId: 'ada', body: { primaryValue: 'Bea' }, ifMatch: etagOf(read) };
    await expect(passwright.updatePass(change)).rejects.toBeInstanceOf(PreconditionFailed);
    expect(service.received[1]?.headers['if-match']).toBe('"7"');
  });

  it('a call sends lists as repeated parameters, and leaves out undefined parameters', async () => {
    service.script(json(200, { data: [] }));
    await passwright.listPasses({ templateId: 'gold', code: undefined, voided: true, extra: ['a b', 'c'] } as never);
    expect(service.received[0]?.url).toBe('/v1/pass/gold?voided=true&extra=a+b&extra=c');
  });

  it('responseOf returns the status and headers of the response to a call', async () => {
    service.script(json(200, pass, { 'X-Request-Id': 'r-7', 'RateLimit-Remaining': '41' }));
    const read = await passwright.getPass({ templateId: 'gold', passId: 'ada' });
    const { status, headers } = responseOf(read) ?? {};
    expect([status, headers?.get('X-Request-Id'), headers?.get('RateLimit-Remaining')]).toEqual([200, 'r-7', '41']);
    expect(responseOf({ ...read })).toBeUndefined();
  });

  it('a call runs its hooks for each attempt and response, and sends the headers that a hook adds', async () => {
    const seen: unknown[] = [];
    const other = client({
      onRequest: ({ operation, method, url, headers }) => {
        headers.traceparent = '00-1';
        seen.push([operation, method, url]);
      },
      onResponse: ({ operation, status, durationMs }) => seen.push([operation, status, durationMs >= 0]),
    });
    service.script(rejection(503, 'not_ready', soon), json(200, {}));
    await other.getAccount({ headers: { 'X-Team': 'shop' } });
    const url = `${service.baseUrl}/v1/account`;
    expect(seen).toEqual([
      ['getAccount', 'GET', url],
      ['getAccount', 503, true],
      ['getAccount', 'GET', url],
      ['getAccount', 200, true],
    ]);
    expect(service.received[1]?.headers).toMatchObject({ traceparent: '00-1', 'x-team': 'shop' });
  });

  it('a call does not follow redirects, so that its token and body never reach another address', async () => {
    service.script(
      (response) => response.writeHead(307, { Location: `${service.baseUrl}/v1/elsewhere` }).end(),
      json(200, {}),
    );
    const failure = await failureOf(passwright.login({ body: { email: 'ada@example.com', password: 'secret' } }));
    expect(failure).toBeInstanceOf(UnexpectedResponse);
    expect(failure.message).toContain(`redirects to ${service.baseUrl}/v1/elsewhere`);
    expect(service.received).toHaveLength(1);
  });

  it('a call with a malformed JSON response fails with UnexpectedResponse and is not retried', async () => {
    service.script((response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"id":'));
    expect(await failureOf(passwright.getAccount())).toBeInstanceOf(UnexpectedResponse);
    expect(service.received).toHaveLength(1);
  });

  it('a call can use a custom fetch', async () => {
    service.script(json(200, { name: 'Ada' }));
    const seen: string[] = [];
    const other = client({
      fetch: (url, init) => {
        seen.push(url);
        return fetch(url, init);
      },
    });
    await other.getMe();
    expect(seen).toEqual([`${service.baseUrl}/v1/auth/me`]);
  });
});

describe('an error', () => {
  it('the class of an error matches its code, and the error has the details of the response', async () => {
    service.script(rejection(409, 'pass_exists', { 'X-Request-Id': 'r-1' }));
    const error = await failureOf(create());
    expect(error).toBeInstanceOf(PassExists);
    expect(error).toMatchObject({
      name: 'PassExists',
      code: 'pass_exists',
      statusCode: 409,
      message: 'It is pass_exists.',
      requestId: 'r-1',
      retryAfterSeconds: null,
      docUrl: 'https://passes.example.com/errors#pass_exists',
    });
    // The following lines test the types: each branch narrows the type of the error.
    const [code, same]: ['pass_exists' | undefined, string] =
      error instanceof PassExists ? [error.code, ''] : [undefined, ''];
    expect([code, same]).toEqual(['pass_exists', '']);
  });

  it('an error with an unknown code is a PasswrightError, and its name is made from the code', async () => {
    service.script(rejection(409, 'constructor'), rejection(422, 'wallet_full'));
    expect(await failureOf(create())).toMatchObject({ name: 'Constructor', code: 'constructor' });
    expect(await failureOf(create())).toMatchObject({ name: 'WalletFull', code: 'wallet_full', statusCode: 422 });
  });

  it('the error for a response of a server other than Passwright contains the text of the response', async () => {
    const page = (status: number) => (response: ServerResponse) =>
      response.writeHead(status, { 'Content-Type': 'text/html' }).end('<h1>Welcome to nginx</h1>');
    service.script(page(200), page(413));
    for (const statusCode of [200, 413]) {
      const error = await failureOf(create());
      expect(error).toBeInstanceOf(UnexpectedResponse);
      expect(error).toMatchObject({ code: 'unexpected_response', statusCode });
      expect(error.message).toContain('Welcome to nginx');
    }
  });

  it('the error of a failed connection explains why there is no response', async () => {
    const gone = await ScriptedService.start();
    gone.stop();
    const error = await failureOf(client({ baseUrl: gone.baseUrl, retries: 0 }).getAccount());
    expect(error).toBeInstanceOf(ConnectionFailed);
    expect(error).toMatchObject({ code: 'connection_failed', statusCode: 0, requestId: null, docUrl: null });
    expect(error.message).toContain('ECONNREFUSED');
  });
});

describe('retries', () => {
  it.each([
    ['429', rejection(429, 'rate_limited', soon)],
    ['503', rejection(503, 'not_ready', soon)],
    ['502 of a proxy', json(502, {})],
    ['504 of a proxy', json(504, {})],
    ['a broken connection', breaks],
  ])(
    'a call that is retried after %s sends the same idempotency key, so that the service executes it once',
    async (_, failure) => {
      service.script(failure, json(201, pass));
      await expect(create()).resolves.toEqual(pass);
      const [first, second, third] = service.received.map(({ headers }) => headers['idempotency-key']);
      expect([first, third]).toEqual([expect.stringMatching(/^[0-9A-Za-z]{22}$/), undefined]);
      expect(second).toBe(first);
    },
  );

  it('all attempts of a call use the caller’s idempotency key, and a call without one gets a new key', async () => {
    service.script(rejection(503, 'not_ready', soon), breaks, json(201, pass));
    await create({ idempotencyKey: 'order-17' });
    await create();
    await create();
    const keys = service.received.map(({ headers }) => headers['idempotency-key']);
    expect(keys.slice(0, 3)).toEqual(['order-17', 'order-17', 'order-17']);
    expect([keys.length, new Set(keys).size]).toEqual([5, 3]);
  });

  it('a call is never retried if that could repeat its effect', async () => {
    service.script(breaks);
    await failureOf(passwright.createApiKey({ body: { name: 'Shop' } }));
    expect(service.received).toHaveLength(1);
  });

  it.each([
    ['a rejection of its content', rejection(400, 'validation_failed')],
    ['a fault of the service', rejection(500, 'internal')],
    ['a wallet that is not set up', rejection(503, 'wallet_unavailable')],
  ])('a call is never retried after %s', async (_, failure) => {
    service.script(failure);
    await failureOf(create());
    expect(service.received).toHaveLength(1);
  });

  it('a call that must wait for over a minute is not retried, and its error contains the wait', async () => {
    service.script(rejection(429, 'rate_limited', { 'Retry-After': '61' }));
    const error = await failureOf(create());
    expect([error instanceof RateLimited, error.retryAfterSeconds]).toEqual([true, 61]);
    expect(service.received).toHaveLength(1);
  });

  it('a call is retried as often as configured, and then fails with the last error', async () => {
    service.script(rejection(503, 'not_ready', soon));
    expect((await failureOf(create({ retries: 2 }))).code).toBe('not_ready');
    expect(service.received).toHaveLength(3);
  });

  it('a call is retried no earlier than Retry-After allows', async () => {
    service.script(rejection(429, 'rate_limited', { 'Retry-After': '1' }), json(201, pass));
    const start = performance.now();
    await create();
    expect(performance.now() - start).toBeGreaterThan(990);
  });
});

describe('the end of a call', () => {
  it('a call ends if an attempt takes too long, even in the middle of the response', async () => {
    service.script(silence);
    const error = await failureOf(create({ timeoutMs: 30, retries: 0 }));
    expect(error).toBeInstanceOf(TimedOut);
    service.script((response) => response.writeHead(200, { 'Content-Type': 'application/json' }).write('{'));
    expect((await failureOf(create({ timeoutMs: 50, retries: 0 }))).code).toBe('timed_out');
  });

  it('a fetch of the app learns from the signal whether the time limit or the caller has ended the request', async () => {
    const reasons: unknown[] = [];
    let onSent = () => {};
    const own = new Passwright({
      baseUrl: 'http://localhost:3000',
      fetch: (_, { signal }) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => {
            reasons.push(signal.reason);
            reject(new DOMException('The app gives another reason', 'AbortError'));
          });
          onSent();
        }),
    });
    const late = await failureOf(own.getAccount({ timeoutMs: 1, retries: 0 }));
    const leaving = new AbortController();
    onSent = () => leaving.abort();
    await expect(own.getAccount({ signal: leaving.signal })).rejects.toThrow('aborted');
    expect(late).toBeInstanceOf(TimedOut);
    expect(reasons).toEqual([late, expect.objectContaining({ name: 'AbortError' })]);
  });

  it('the time limit of a call applies to each attempt separately', async () => {
    service.script(silence, json(201, pass));
    await expect(create({ timeoutMs: 1500 })).resolves.toEqual(pass);
  });

  it('a call ends with the abort signal’s reason, before, during or between attempts', async () => {
    const reason = new Error('The window was closed.');
    service.script(json(201, pass));
    await expect(create({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(service.received).toHaveLength(0);

    const during = new AbortController();
    service.script(() => during.abort(reason));
    await expect(create({ signal: during.signal })).rejects.toBe(reason);

    const between = new AbortController();
    service.script((response, received) => {
      void once(response, 'close').then(() => setImmediate(() => between.abort(reason)));
      rejection(429, 'rate_limited', { 'Retry-After': '60' })(response, received);
    });
    await expect(create({ signal: between.signal })).rejects.toBe(reason);
    expect(service.received).toHaveLength(1);
  });
});

describe('a list', () => {
  const pages = (response: ServerResponse, { url }: { url: string }) => {
    const cursor = Number(new URL(url, 'http://x').searchParams.get('cursor') ?? 0);
    json(200, {
      data: [{ id: `a${cursor}` }, { id: `b${cursor}` }],
      nextCursor: cursor < 2 ? String(cursor + 1) : null,
    })(response, { url } as never);
  };

  it('a list is read page by page to its end, and each request has its filters', async () => {
    service.script(pages);
    const ids: string[] = [];
    for await (const { id } of passwright.each('listPasses', { templateId: 'gold', voided: true })) ids.push(id);
    expect(ids).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'b2']);
    expect(service.received.map(({ url }) => url)).toEqual([
      '/v1/pass/gold?limit=100&voided=true',
      '/v1/pass/gold?limit=100&voided=true&cursor=1',
      '/v1/pass/gold?limit=100&voided=true&cursor=2',
    ]);
  });

  it('a page of a list is fetched only when the caller reads its items', async () => {
    service.script(pages);
    for await (const { id } of passwright.each('listTemplates')) if (id === 'a1') break;
    expect(service.received).toHaveLength(2);
    service.script(pages);
    for await (const { data } of passwright.pages('listTemplates', { limit: 2 })) if (data.length === 2) break;
    expect(service.received.map(({ url }) => url)).toEqual(['/v1/templates?limit=2']);
  });

  it('toArray reads a list to its end, or only up to a given number of items', async () => {
    service.script(pages);
    const ids = (list: { id: string }[]) => list.map(({ id }) => id);
    const read = async (most?: number) => ids(await toArray(passwright.each('listTemplates'), most));
    expect(await read()).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'b2']);
    for (const [most, requests] of [
      [0, 0],
      [2, 1],
      [3, 2],
    ] as const) {
      service.script(pages);
      expect([await read(most), service.received.length]).toEqual([['a0', 'b0', 'a1'].slice(0, most), requests]);
    }
  });
});
