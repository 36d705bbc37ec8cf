import type { EventEmitter } from 'node:events';
import { randomId } from '@passwright/core';
import { testDatabase } from '@passwright/testing';
import request from 'supertest';
import { TestApp } from './test-app.fixtures.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start((await testDatabase()).url);
});
afterAll(() => app.stop());

const agent = () => request(app.url);

/** Returns the body that an error must have: exactly five properties. */
const bodyOf = (statusCode: number, code: string) => ({
  statusCode,
  code,
  error: expect.any(String) as string,
  message: expect.any(String) as string,
  docUrl: `http://localhost/errors#${code}`,
});

/** Checks the status, headers and body of an error response. @returns the message of the error */
function expectError(response: request.Response, statusCode: number, code: string): string {
  expect(response.body).toEqual(bodyOf(statusCode, code));
  expect(response.status).toBe(statusCode);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(response.headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  expect(response.headers['cache-control']).toBe('no-store');
  expect(response.body.message).not.toMatch(/SELECT|node_modules|\bat \w|passwd/);
  return response.body.message as string;
}

describe('failures of handlers', () => {
  it.each([
    ['validation', 400, 'validation_failed', 'x must be y'],
    ['unauthorized', 401, 'unauthorized', 'Sign in.'],
    ['unavailable', 503, 'wallet_unavailable', 'The certificate has expired.'],
    ['framework', 400, 'validation_failed', 'a is wrong; b is wrong'],
    ['missing', 404, 'not_found', 'No such row'],
    ['exposed', 418, 'validation_failed', 'teapot'],
    ['hidden', 500, 'internal', /request id in X-Request-Id/],
    ['diskFull', 503, 'not_ready', /Try again/],
    ['handlesUsedUp', 503, 'not_ready', /Try again/],
    ['storageLost', 503, 'storage_unavailable', /storage of images/],
    ['missingFile', 500, 'internal', /request id in X-Request-Id/],
    ['disconnected', 503, 'not_ready', /may have been done all the same/],
    ['otherService', 500, 'internal', /request id in X-Request-Id/],
    ['empty', 500, 'internal', /request id in X-Request-Id/],
    ['unknown', 500, 'internal', /request id in X-Request-Id/],
  ])('the failure «%s» of a handler becomes %i %s with the five properties', async (kind, status, code, message) => {
    const response = await agent().get(`/v1/failures/${kind}`);
    expect(expectError(response, status, code)).toEqual(expect.stringMatching(message));
    expect(response.headers.etag).toBeUndefined();
  });

  it('each error links to the explanation of its code', async () => {
    const { headers } = await agent().get('/v1/failures/unauthorized');
    expect(headers.link).toBe('<http://localhost/errors#unauthorized>; rel="help"');
  });

  it('the app sends the headers of the error', async () => {
    expect((await agent().get('/v1/failures/unauthorized')).headers['www-authenticate']).toBe('Bearer');
  });

  it('the app logs internal failures under the request id, with route and stack', async () => {
    await agent().get('/v1/failures/unknown').set('X-Request-Id', 'find-me');
    expect(app.logged).toContainEqual({
      requestId: 'find-me',
      method: 'GET',
      route: '/v1/failures/:kind',
      err: { type: 'Error', message: expect.stringContaining('SELECT'), stack: expect.stringContaining('at ') },
    });
  });

  it('the app logs the cause of a storage failure, which the caller does not see', async () => {
    const { headers, text } = await agent().get('/v1/failures/storageLost').set('X-Request-Id', 'no-storage');
    expect([headers['retry-after'], text.includes('EIO')]).toEqual(['1', false]);
    expect(app.logged).toContainEqual(
      expect.objectContaining({
        requestId: 'no-storage',
        err: expect.objectContaining({ message: expect.stringContaining('Cause: EIO: i/o error, read') }),
      }),
    );
  });

  it('a response while the database is unreachable says when to try again, and the log has the reason', async () => {
    const { headers } = await agent().get('/v1/failures/disconnected').set('X-Request-Id', 'no-database');
    expect(headers['retry-after']).toBe('1');
    expect(app.logged).toContainEqual(
      expect.objectContaining({ requestId: 'no-database', err: expect.objectContaining({ message: 'refused' }) }),
    );
  });

  it('the app logs the code of a database error, but not its values', async () => {
    expectError(await agent().get('/v1/casts/2020-01-01T00:00+99:99'), 500, 'internal');
    const line = app.logged.find((logged) => (logged as { route?: string }).route === '/v1/casts/:text');
    expect(line).toMatchObject({ err: { type: 'QueryFailedError', sqlState: '22009' } });
    expect(JSON.stringify(line)).not.toContain('99:99');
  });

  it('500 internal for a response that cannot be serialised', async () => {
    expectError(await agent().get('/v1/circular'), 500, 'internal');
  });

  it('the app cuts off a response that fails midway, so that it does not look complete', async () => {
    await expect(agent().get('/v1/broken')).rejects.toThrow(/aborted|socket hang up/);
  });
});

describe('routes', () => {
  it('404 route_not_found for a path that matches no route', async () => {
    expect(expectError(await agent().get('/v1/nothing'), 404, 'route_not_found')).toContain('GET /v1/nothing');
    expectError(await agent().post('/v1/nothing').send({ a: 1 }), 404, 'route_not_found');
    expectError(await agent().options('/v1/nothing'), 404, 'route_not_found');
  });

  it('404 route_not_found as JSON, even for browsers', async () => {
    const browser = { Accept: 'text/html,*/*;q=0.8' };
    expectError(await agent().get('/v1/nothing').set(browser), 404, 'route_not_found');
  });

  it('405 method_not_allowed names the methods of the path in the message and in the header Allow', async () => {
    const response = await agent().patch('/v1/things/7').send({});
    expect(expectError(response, 405, 'method_not_allowed')).toBe(
      'PATCH is not allowed on /v1/things/7; use DELETE or GET or HEAD or PUT.',
    );
    expect(response.headers.allow).toBe('DELETE, GET, HEAD, PUT');
  });

  it('the app lists the methods of a path in the response to OPTIONS', async () => {
    const response = await agent().options('/v1/things');
    expect(response.status).toBe(204);
    expect(response.headers.allow).toBe('GET, HEAD, POST, OPTIONS');
  });

  it('304 for If-None-Match: * only if the response has an entity tag', async () => {
    const any = { 'If-None-Match': '*' };
    expect((await agent().get('/v1/things/7').set(any)).status).toBe(304);
    expect((await agent().get('/v1/things').set(any)).status).toBe(200);
    expect((await agent().get('/v1/probe').set(any)).status).toBe(200);
  });

  it('400 validation_failed for two Host headers', async () => {
    const reply = await app.raw('GET /v1/probe HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n');
    expect(reply).toMatch(/^HTTP\/1.1 400 [^]*there must be one Host header, not several/);
  });

  it('the app responds to HEAD as it does to GET, but without the body', async () => {
    const response = await agent().head('/v1/things/7');
    expect(response.status).toBe(200);
    expect(response.headers.etag).toBe('"v7"');
    expect(response.text).toBeUndefined();
  });
});

describe('request ids', () => {
  it('the app keeps a request id of 1 to 128 safe characters', async () => {
    const id = `a.B_9-${'x'.repeat(122)}`;
    expect((await agent().get('/v1/things/7').set('X-Request-Id', id)).headers['x-request-id']).toBe(id);
  });

  it.each(['x'.repeat(129), 'with space', 'ünicode', 'a/b', '"'])('the app replaces the request id %j', async (id) => {
    const response = await agent().get('/v1/nothing').set('X-Request-Id', Buffer.from(id).toString('latin1'));
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('the app sends the request id even with 304, 204 and errors', async () => {
    const notModified = await agent().get('/v1/things/7').set('If-None-Match', '"v7"').set('X-Request-Id', 'same');
    expect([notModified.status, notModified.headers['x-request-id']]).toEqual([304, 'same']);
    const deleted = await agent().delete('/v1/things/7').set('X-Request-Id', 'same');
    expect([deleted.status, deleted.headers['x-request-id']]).toEqual([204, 'same']);
  });
});

describe('a middleware that runs before the conventions', () => {
  const seen = (id: string) => app.requests.filter((request) => request.id === id);

  it("a middleware that runs before the conventions gets the request id and the route's pattern", async () => {
    await agent().get('/v1/things/7').set('X-Request-Id', 'routed');
    expect(seen('routed')).toEqual([{ id: 'routed', status: 200, route: '/v1/things/:id' }]);
  });

  it.each([
    ['a path that is rejected', () => agent().get('/v1/things/%00'), 400, undefined],
    ['a body that is not JSON', () => agent().post('/v1/things').type('json').send('{'), 400, '/v1/things'],
    ['a path that no route has', () => agent().get('/v1/nothing'), 404, undefined],
    ['OPTIONS', () => agent().options('/v1/things'), 204, undefined],
  ])('a middleware that runs before the conventions gets the request id of %s', async (_, send, status, route) => {
    const id = `unrouted-${randomId()}`;
    await send().set('X-Request-Id', id);
    expect(seen(id)).toEqual([{ id, status, route }]);
  });
});

describe('entity tags', () => {
  it('the app sends the entity tag of a read', async () => {
    const response = await agent().get('/v1/things/7');
    expect([response.status, response.headers.etag, response.body]).toEqual([200, '"v7"', { id: '7' }]);
    expect(response.headers['cache-control']).toBe('private, no-cache');
  });

  it.each(['"v7"', 'W/"v7"', '"v1", "v7"', '*'])('304 without a body if If-None-Match is %s', async (tags) => {
    const response = await agent().get('/v1/things/7').set('If-None-Match', tags);
    expect([response.status, response.headers.etag, response.text]).toEqual([304, '"v7"', '']);
  });

  it('the app sends no entity tag for a response without a version', async () => {
    expect((await agent().get('/v1/things')).headers.etag).toBeUndefined();
  });

  it('no shared cache may store a response without a version', async () => {
    const { headers } = await agent().get('/v1/things');
    expect(headers['cache-control']).toBe('private, no-cache');
  });

  it('the app ignores If-None-Match on a write', async () => {
    const response = await agent().put('/v1/things/7').set('If-None-Match', '*').send({ name: 'x' });
    expect(response.status).toBe(200);
  });
});

describe('malformed HTTP', () => {
  function expectRaw(reply: string, statusCode: number, code: string): void {
    const [head = '', body = ''] = reply.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${statusCode} `));
    expect(head).toMatch(/\r\nX-Request-Id: [0-9a-f-]{36}/i);
    expect(head).toMatch(/\r\nConnection: close/i);
    expect(head).toContain(`\r\nLink: <http://localhost/errors#${code}>; rel="help"`);
    expect(JSON.parse(body)).toEqual(bodyOf(statusCode, code));
  }

  it.each([
    ['no request line', 'GARBAGE\r\n\r\n', 400, 'validation_failed'],
    ['an unknown method', 'BREW /v1/things HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'validation_failed'],
    [
      'two lengths',
      'POST /v1/things HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'validation_failed',
    ],
    [
      'headers too large',
      `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(500_000)}\r\n\r\n`,
      431,
      'payload_too_large',
    ],
    [
      'a wrong chunk',
      'POST /v1/things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n',
      400,
      'validation_failed',
    ],
    ['no host', 'GET /v1/things HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'validation_failed'],
    ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'method_not_allowed'],
  ])('a malformed request (%s) gets an error with the five properties', async (_, bytes, status, code) => {
    expectRaw(await app.raw(bytes), status, code);
  });

  it.each([
    ['http://example.com/v1/things/7', /^HTTP\/1.1 200 /],
    ['http://[::1/v1/things/7', /^HTTP\/1.1 200 /],
    ['http://a:99999/v1/nothing', /^HTTP\/1.1 404 .*"code":"route_not_found"/s],
    ['http://[::1', /^HTTP\/1.1 404 .*"code":"route_not_found"/s],
    ['http://[?a=%', /^HTTP\/1.1 400 .*"code":"validation_failed"/s],
  ])('a request that names a whole address (%s) is routed by its path', async (target, expected) => {
    const reply = await app.raw(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(reply).toMatch(expected);
    expect(reply).toMatch(/\r\nX-Request-Id: /i);
  });

  it('431 without a body for a HEAD request whose headers are too large', async () => {
    const response = await app.raw(`HEAD / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(response).toMatch(/^HTTP\/1.1 431 .*\r\nConnection: close\r\n\r\n$/s);
  });

  it('408 for a request whose headers do not arrive in time', async () => {
    const server = app.app.getHttpServer();
    server.once('connection', (socket: object) =>
      server.emit('clientError', Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket),
    );
    expectRaw(await app.raw('GET / HT'), 408, 'validation_failed');
  });

  it('the process survives a client that asks for a tunnel and resets its connection', async () => {
    const sockets: EventEmitter[] = [];
    app.app.getHttpServer().once('connection', (socket: EventEmitter) => sockets.push(socket));
    await app.raw('CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(() => sockets[0]?.emit('error', new Error('read ECONNRESET'))).not.toThrow();
    expect(sockets).toHaveLength(1);
  });

  it('the app ignores an Expect header that it does not support', async () => {
    const reply = await app.raw(
      'GET /v1/things/7 HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nConnection: close\r\n\r\n',
    );
    expect(reply).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe('security headers', () => {
  it("an API response forbids browsers to load anything, and does not name the server's software", async () => {
    const { headers } = await agent().get('/v1/things/7');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
    );
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['x-powered-by']).toBeUndefined();
    expect(headers['strict-transport-security']).toBeUndefined();
  });

  it('the security headers allow Swagger UI over plain http', async () => {
    const policy = (await agent().get('/docs')).headers['content-security-policy'];
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain('upgrade-insecure-requests');
  });
});
