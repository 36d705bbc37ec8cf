import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { testDatabase } from '@passwright/testing';
import fc from 'fast-check';
import request from 'supertest';
import { BODY_BUDGET_BYTES, revokedCredentials, TestApp } from './test-app.fixtures.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start((await testDatabase()).url);
});
afterAll(() => app.stop());

const agent = () => request(app.url);

/** Posts raw bytes. */
function post(body: string | Buffer, headers: Record<string, string> = {}) {
  return fetch(`${app.url}/v1/things`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
}

async function rejection(reply: Promise<Response>): Promise<{ status: number; code: string; message: string }> {
  const response = await reply;
  const body = (await response.json()) as { statusCode: number; code: string; message: string };
  expect(Object.keys(body)).toEqual(['statusCode', 'code', 'error', 'message', 'docUrl']);
  expect(body.statusCode).toBe(response.status);
  return { status: response.status, code: body.code, message: body.message };
}

describe('JSON bodies', () => {
  it.each([
    ['{"name": "a"', 'The body is not JSON'],
    ['{"name": "a",}', 'line 1, column 14'],
    ['{\n  "name": b }', 'The body is not JSON'],
    ["{'name': 'a'}", 'line 1, column 2'],
    ['"text"', 'must be a JSON object'],
    ['null', 'must be a JSON object'],
    ['17', 'must be a JSON object'],
    [' ', 'The body is not JSON'],
    ['{"name": NaN}', 'The body is not JSON'],
    ['{"name":"a",\n"name":"b"}', 'The body has the name "name" twice in one object: see line 2, column 1.'],
    ['{"name":"a","data":{"x":1,"\\u0078":2}}', 'has the name "x" twice'],
  ])('400 malformed_json for %j', async (body, message) => {
    expect(await rejection(post(body))).toEqual({
      status: 400,
      code: 'malformed_json',
      message: expect.stringContaining(message),
    });
  });

  it('the app never repeats the request body in a syntax error', async () => {
    expect((await rejection(post('{"password": hunter2}'))).message).not.toContain('hunter');
  });

  it.each([
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
    ['an overlong sequence', Buffer.from('7b22c080223a317d', 'hex')],
    ['an encoded surrogate', Buffer.from('7b22eda080223a317d', 'hex')],
  ])('400 malformed_json for %s', async (_, body) => {
    expect(await rejection(post(body))).toMatchObject({
      code: 'malformed_json',
      message: 'The body is not UTF-8 text.',
    });
  });

  it('the app accepts JSON with a byte order mark, compressed JSON and merge patches', async () => {
    expect((await post(`\uFEFF{"name":"a"}`)).status).toBe(201);
    expect((await post(gzipSync('{"name":"a"}'), { 'Content-Encoding': 'gzip' })).status).toBe(201);
    expect((await post('{"name":"a"}', { 'Content-Type': 'application/merge-patch+json' })).status).toBe(201);
    expect((await post('{"name":"a"}', { 'Content-Type': 'Application/JSON; charset="UTF-8"' })).status).toBe(201);
  });

  it('400 malformed_json for a body that begins with 33 levels of JSON, whatever follows', async () => {
    const nested = (levels: number) => `{"name":"a","data":${'{"x":'.repeat(levels - 1)}1${'}'.repeat(levels - 1)}}`;
    expect((await post(nested(32))).status).toBe(201);
    expect(await rejection(post(nested(33)))).toMatchObject({ status: 400, code: 'malformed_json' });
    expect(await rejection(post('['.repeat(1_000_000)))).toMatchObject({ status: 400, code: 'malformed_json' });
  });

  it('brackets inside strings do not count as levels of JSON', async () => {
    expect((await post(JSON.stringify({ name: 'a', data: { x: '[{"\\'.repeat(100) } }))).status).toBe(201);
  });

  it('413 payload_too_large for a body over 1 MiB, whether plain, compressed or chunked', async () => {
    const large = JSON.stringify({ name: 'x'.repeat(1024 * 1024) });
    expect(await rejection(post(large))).toMatchObject({ status: 413, code: 'payload_too_large' });
    expect(await rejection(post(gzipSync(large), { 'Content-Encoding': 'gzip' }))).toMatchObject({ status: 413 });
    const head = 'POST /v1/things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n';
    const chunk = `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`;
    expect(await app.raw(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`)).toContain('payload_too_large');
  });

  it('400 for a body that is not compressed as its header declares', async () => {
    const reply = post('{"name":"a"}', { 'Content-Encoding': 'gzip' });
    expect(await rejection(reply)).toMatchObject({ status: 400, code: 'validation_failed' });
  });

  it.each([
    [{ 'Content-Type': 'text/plain' }, 'This route takes application/json, not text/plain.'],
    [{ 'Content-Type': 'application/x-www-form-urlencoded' }, 'This route takes application/json'],
    [{ 'Content-Type': 'multipart/form-data; boundary=x' }, 'This route takes application/json'],
    [{ 'Content-Type': '' }, 'Send Content-Type: application/json'],
    [{ 'Content-Type': 'application/json; charset=utf-16' }, 'JSON is read as UTF-8 only'],
    [{ 'Content-Encoding': 'compress' }, 'Content-Encoding must be gzip'],
  ])('415 unsupported_media_type for the header %j', async (headers: Record<string, string>, message) => {
    expect(await rejection(post('{"name":"a"}', headers))).toEqual({
      status: 415,
      code: 'unsupported_media_type',
      message: expect.stringContaining(message),
    });
  });

  it('the app treats a missing body as an empty object, so that validation names the missing properties', async () => {
    const response = await agent().post('/v1/things');
    expect(response.body).toMatchObject({ code: 'validation_failed', message: 'name is required' });
  });

  it.each([
    ['{', 'application/json'],
    ['{}', 'application/json; charset=utf-16'],
    ['x'.repeat(2 ** 20 + 1), 'application/json'],
  ])('the app ignores the body of a GET request', async (body, type) => {
    expect((await agent().get('/v1/things').set('Content-Type', type).send(body)).status).toBe(200);
  });

  it.each([undefined, {}])('a route without a body accepts the body %j', async (body) => {
    expect((await agent().post('/v1/actions').send(body)).status).toBe(200);
  });

  it('400 validation_failed for properties in the body of a route without one, before the route runs', async () => {
    const { runs } = app.things;
    const rejected = await agent().post('/v1/actions').send({ expiry: 'soon', 'a b': 1 });
    const message = 'expiry is not known here; ["a b"] is not known here';
    expect(rejected).toMatchObject({ status: 400, body: { code: 'validation_failed', message } });
    expect(await agent().post('/v1/actions').send([])).toMatchObject({ status: 400 });
    expect(await agent().delete('/v1/things/a').send({ reason: 'x' })).toMatchObject({ status: 400 });
    expect(app.things.runs).toBe(runs);
  });
});

describe('bodies that do not end', () => {
  const MIB = 2 ** 20;

  /** Sends the headers of a request and the beginning of its body. @returns the first response */
  function begin(path: string, headers: readonly string[], sentBytes: number) {
    const socket = connect(app.port, '127.0.0.1');
    const responded = once(socket, 'data').then(([bytes]) => String(bytes));
    const head = [`POST ${path} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', ...headers];
    socket.write(`${head.join('\r\n')}\r\n\r\n${' '.repeat(sentBytes)}`);
    return { socket, responded };
  }

  it.each([0, MIB / 2])('401 unauthorized for an unknown caller after only %i bytes of the body', async (sent) => {
    const { socket, responded } = begin('/v1/guarded', [`Content-Length: ${MIB}`], sent);
    expect(await responded).toMatch(/^HTTP\/1.1 401 /);
    socket.destroy();
  });

  it('404 route_not_found for an unknown path, before the body arrives', async () => {
    const { socket, responded } = begin('/v1/nowhere', [`Content-Length: ${MIB}`], 10);
    expect(await responded).toMatch(/^HTTP\/1.1 404 /);
    socket.destroy();
  });

  it('413 payload_too_large immediately for a body of more than 16 KiB on a public route', async () => {
    const named = begin('/v1/open', [`Content-Length: ${16 * 1024 + 1}`], 0);
    expect(await named.responded).toMatch(/^HTTP\/1.1 413 [^]*16 KiB/);
    named.socket.destroy();
    const head = ['Transfer-Encoding: chunked', '', 'FFFFF'];
    const unnamed = begin('/v1/open', head, 20_000);
    unnamed.socket.write(' '.repeat(20_000));
    expect(await unnamed.responded).toMatch(/^HTTP\/1.1 413 /);
    unnamed.socket.destroy();
  });

  it('413 payload_too_large immediately if the declared length is over 1 MiB on a route for callers', async () => {
    const headers = [`Content-Length: ${MIB + 1}`, 'Authorization: Bearer acc_large'];
    const { socket, responded } = begin('/v1/guarded', headers, 0);
    expect(await responded).toMatch(/^HTTP\/1.1 413 [^]*payload_too_large/);
    socket.destroy();
  });

  it('429 rate_limited for a caller with too many unfinished bodies; other callers are not limited', async () => {
    const headers = [`Content-Length: ${MIB}`, 'Authorization: Bearer acc_greedy'];
    const begun = Array.from({ length: 8 }, () => begin('/v1/guarded', headers, MIB - 1));
    const rejected = await Promise.race(begun.map(({ responded }) => responded));
    expect(rejected).toMatch(/^HTTP\/1.1 429 [^]*Retry-After: 1\r\n/);
    const body = JSON.stringify({ name: 'a', data: { x: 'y'.repeat(4000) } });
    const other = await request(app.url)
      .post('/v1/guarded')
      .set({ Authorization: 'Bearer acc_other', 'Content-Type': 'application/json' })
      .send(body);
    expect(other.status).toBe(201);
    begun.forEach(({ socket }) => socket.destroy());
  });

  it('unfinished bodies no longer count when their connections end', async () => {
    const headers = [`Content-Length: ${MIB}`, 'Authorization: Bearer acc_leaving'];
    for (let round = 0; round < 3; round++) {
      const count = BODY_BUDGET_BYTES / 2 / MIB;
      const begun = Array.from({ length: count }, () => begin('/v1/guarded', headers, MIB - 1));
      begun.forEach(({ socket }) => socket.write(' '));
      for (const { socket, responded } of begun) {
        expect(await responded).toMatch(/^HTTP\/1.1 400 /);
        socket.destroy();
      }
    }
  });

  it('a body that waits behind an unanswered request no longer counts when its connection ends', async () => {
    let open: () => void = () => undefined;
    app.things.barrierBeforeWriting = new Promise((resolve) => (open = resolve));
    const begun = app.things.runs;
    const large = `{"name":"large"}${' '.repeat(MIB - 100)}`;
    const put = (body: string) =>
      `PUT /v1/things/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer acc_behind\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const post = () =>
      request(app.url)
        .post('/v1/guarded')
        .set({ Authorization: 'Bearer acc_behind', 'Content-Type': 'application/json' })
        .send(large);
    const sockets = [1, 2].map(() => connect(app.port, '127.0.0.1'));
    for (const socket of sockets) socket.write(put('{"name":"small"}') + put(large));
    while (app.things.runs < begun + 4) await pause(5);
    expect((await post()).status).toBe(429);
    for (const socket of sockets) socket.destroy();
    open();
    // Wait until the node has noticed that the connections have ended.
    while ((await post()).status !== 201) await pause(5);
  });

  it('401 unauthorized within seconds after the credential of an unfinished body is revoked', async () => {
    const authorized = jest.spyOn(revokedCredentials, 'has');
    const { socket, responded } = begin('/v1/guarded', ['Content-Length: 100', 'Authorization: Bearer acc_left'], 1);
    const slow = begin('/v1/guarded', ['Content-Length: 100', 'Authorization: Bearer acc_stays'], 1);
    while (authorized.mock.calls.length < 2) await new Promise(setImmediate);
    revokedCredentials.add('Bearer acc_left');
    const trickle = setInterval(() => socket.write(' '), 500);
    expect(await responded).toMatch(/^HTTP\/1.1 401 [^]*It was revoked/);
    clearInterval(trickle);
    slow.socket.write(JSON.stringify({ name: 'a' }).padEnd(99));
    expect(await slow.responded).toMatch(/^HTTP\/1.1 201 /);
    for (const each of [socket, slow.socket]) each.destroy();
    revokedCredentials.clear();
    authorized.mockRestore();
  });

  it('429 rate_limited for a founder whose accounts together send too many unfinished bodies', async () => {
    const begun = Array.from({ length: 3 }, (_, n) => {
      const authorization = `Authorization: Bearer acc_${n} of usr_greedy`;
      return begin('/v1/guarded', [`Content-Length: ${MIB}`, authorization], MIB - 1);
    });
    expect(await Promise.race(begun.map(({ responded }) => responded))).toMatch(/^HTTP\/1.1 429 /);
    begun.forEach(({ socket }) => socket.destroy());
  });

  it('a handler knows the address of its client, even if the body arrived late', async () => {
    const sent = agent()
      .post('/v1/guarded')
      .set('Authorization', 'Bearer acc_1')
      .send({ name: 'a'.repeat(50) });
    expect((await sent).body).toMatchObject({ origin: expect.stringContaining('127.0.0.1') });
  });
});

describe('uploads', () => {
  it('the app accepts a form on a route that takes a file', async () => {
    const response = await agent().post('/v1/files').attach('file', Buffer.alloc(1000), 'a.png');
    expect(response.body).toMatchObject({ size: 1000 });
  });

  it('413 payload_too_large for a file over the limit', async () => {
    const response = await agent().post('/v1/files').attach('file', Buffer.alloc(1001), 'a.png');
    expect([response.status, response.body.code]).toEqual([413, 'payload_too_large']);
  });

  it('400 validation_failed for a form part that the route does not declare', async () => {
    const response = await agent().post('/v1/files').attach('other', Buffer.alloc(10), 'a.png');
    expect([response.status, response.body.code]).toEqual([400, 'validation_failed']);
  });

  it('415 unsupported_media_type for JSON on a route that takes a form', async () => {
    const response = await agent().post('/v1/files').send({ file: 'x' });
    expect([response.status, response.body.code]).toEqual([415, 'unsupported_media_type']);
  });

  it.each([
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary="',
    'multipart/form-data; ; ;=',
    'multipart/form-data; charset=utf-8',
    'multipart/form-data; boundary=a b',
  ])('400 validation_failed for Content-Type %s', async (type) => {
    const response = await agent().post('/v1/files').set('Content-Type', type).send('--a\r\n\r\n');
    expect([response.status, response.body.code]).toEqual([400, 'validation_failed']);
  });

  it.each([
    '',
    '--x',
    '--x\r\n',
    '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf',
    '--x--\r\n',
  ])('the app responds to the broken form %j with a 4xx, or reads the form as empty', async (body) => {
    const response = await agent().post('/v1/files').set('Content-Type', 'multipart/form-data; boundary=x').send(body);
    expect(response.status).toBeLessThan(500);
  });
});

describe('rejected texts', () => {
  it.each([
    [{ name: 'a\u0000' }, 'name must not hold control characters other than newline and tab (U+0000)'],
    [{ name: 'a\r\n' }, 'name must not hold control characters other than newline and tab (U+000D)'],
    [{ name: '\u0085' }, 'name must not hold control characters other than newline and tab (U+0085)'],
    [{ name: 'a', parts: [{ label: 'x\u001b[0m' }] }, 'parts[0].label must not hold control characters'],
    [{ name: 'a', data: { 'x y': ['\ud800'] } }, 'data["x y"][0] must not hold half a surrogate pair (U+D800)'],
    [{ name: 'a', data: { 'a\u0000': 1 } }, 'data["a\\u0000"] is not a property name'],
  ])('400 validation_failed names the property of the rejected text %j', async (body, message) => {
    expect(await rejection(post(JSON.stringify(body)))).toEqual({
      status: 400,
      code: 'validation_failed',
      message: expect.stringContaining(message),
    });
  });

  it.each(['__proto__', 'constructor', 'prototype'])(
    '400 validation_failed for a property named %s at any depth',
    async (name) => {
      const reply = await rejection(post(`{"name":"a","data":{"deep":[{"${name}":{"polluted":true}}]}}`));
      expect(reply).toMatchObject({
        code: 'validation_failed',
        message: `data.deep[0].${name} is not taken as a property name`,
      });
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    },
  );

  it('400 validation_failed for a number too large for a double', async () => {
    const reply = await rejection(post('{"name":"a","data":{"n":1e999}}'));
    expect(reply.message).toBe('data.n must be a finite number');
  });

  it('400 validation_failed for a body of a hundred thousand values', async () => {
    const reply = await rejection(post(`{"name":"a","parts":[${new Array(100_000).fill('{}').join()}]}`));
    expect(reply.message).toContain('must hold at most 3000 values');
  });

  it('400 validation_failed for a body with very many names, without parsing them', async () => {
    const parse = jest.spyOn(JSON, 'parse');
    const names = Array.from({ length: 50_000 }, (_, i) => `"k${i}":1`);
    const reply = await rejection(post(`{${names.join()}}`));
    expect(reply.message).toContain('must hold at most 3000 values');
    expect(parse.mock.calls.filter(([text]) => text.startsWith('{"k0"'))).toEqual([]);
    parse.mockRestore();
  });

  it('the app keeps newlines, tabs, emoji and right-to-left text as they were sent', async () => {
    const name = 'a\n\tb 👩‍👩‍👧 שלום';
    expect(await (await post(JSON.stringify({ name }))).json()).toMatchObject({ name });
  });

  it.each([
    ['/v1/things/a%00b', 'the path must not hold control characters'],
    ['/v1/things/%FF', 'the path must be percent-encoded UTF-8'],
    ['/v1/things/%', 'the path must be percent-encoded UTF-8'],
    ['/v1/things?cursor=a%00', 'cursor must not hold control characters'],
    ['/v1/things?cursor=%ED%A0%80', 'the query must be percent-encoded UTF-8'],
    ['/v1/things?__proto__=1', '__proto__ is not taken as a property name'],
    ['/v1/things?limit=1&limit=2', 'limit must be a whole number from 1 to 100'],
    ['/v1/things?cursor=a&cursor=b', 'cursor must be a string'],
    ['/v1/things?offset=1', 'offset is not known here'],
  ])('400 validation_failed for %s', async (path, message) => {
    expect(await rejection(fetch(app.url + path))).toEqual({
      status: 400,
      code: 'validation_failed',
      message: expect.stringContaining(message),
    });
  });
});

describe('any input', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\u0000', '\ud800', '__proto__', 'constructor', 'toString', 'then', 'length', 'a'.repeat(5000)),
  );
  const value = fc.letrec<{ any: unknown }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      hostile,
      fc.double(),
      fc.constantFrom(1e308, -0, Number.MAX_SAFE_INTEGER, 2 ** 63, null, true),
      fc.array(tie('any'), { maxLength: 5 }),
      fc.dictionary(fc.oneof(hostile, fc.constantFrom('name', 'weight', 'parts', 'label', 'data')), tie('any'), {
        maxKeys: 5,
      }),
    ),
  })).any;
  const thing = fc.record({ name: value, weight: value, parts: value, data: value }, { requiredKeys: [] });

  it('the app responds to any JSON value with a success or an error of five properties, never a 5xx', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(value, thing), async (body) => {
        const response = await post(JSON.stringify(body));
        if (response.status === 201) await response.text();
        else expect((await rejection(Promise.resolve(response))).status).toBeLessThan(500);
      }),
      { numRuns: 300 },
    );
  });

  it('the app responds to any bytes in a body with a success or an error of five properties', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), async (bytes) => {
        expect((await rejection(post(Buffer.from(bytes)))).status).toBe(400);
      }),
      { numRuns: 200 },
    );
  });

  it('the app responds to any path and query with a success or an error of five properties', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary-ascii', maxLength: 50 }), async (target) => {
        const printable = target.replace(/[^\x21-\x7e]/g, '%0A').replaceAll('#', '');
        const reply = await app.raw(`GET /v1/${printable} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
        expect(reply).toMatch(/^HTTP\/1.1 [2-4]/);
      }),
      { numRuns: 200 },
    );
  });
});

describe('bodies of routes that take bytes', () => {
  const send = (body?: string | Buffer, headers: Record<string, string> = {}, path = '/v1/bytes/1/all') =>
    fetch(`${app.url}${path}`, {
      method: 'POST',
      headers,
      body: Buffer.isBuffer(body) ? new Uint8Array(body) : body,
    });
  const text = async (reply: Promise<Response>) => ((await (await reply).json()) as { text: string }).text;

  it.each([{ 'Content-Type': 'application/json' }, { 'Content-Type': 'text/plain; charset=utf-16' }, {}])(
    'a raw body arrives unchanged, whatever its media type: %j',
    async (headers) => {
      for (const body of ['{"a": ', '\u0000', `{"a": [${'0,'.repeat(900)}0]}`, '['.repeat(2048), '']) {
        expect(await text(send(body, headers as Record<string, string>))).toBe(body);
      }
      expect(await text(send(undefined, headers as Record<string, string>))).toBe('');
    },
  );

  it('a raw body is read at every spelling of the path that the router accepts', async () => {
    for (const path of ['/v1/bytes/%2F/all/', '//v1/bytes/1/all', '/V1/Bytes/1/all?a=b']) {
      expect(await text(send('x', {}, path))).toBe('x');
    }
  });

  it("413 payload_too_large for a raw body over the route's limit, even if compressed or without a length", async () => {
    const chunked = { body: new Blob(['x'.repeat(2049)]).stream(), duplex: 'half', method: 'POST' } as RequestInit;
    for (const reply of [
      send('x'.repeat(2049)),
      send(gzipSync('x'.repeat(2049)), { 'Content-Encoding': 'gzip' }),
      fetch(`${app.url}/v1/bytes/1/all`, chunked),
    ]) {
      expect(await rejection(reply)).toMatchObject({ status: 413, message: expect.stringContaining('2 KiB') });
    }
    expect(await text(send(gzipSync('x'.repeat(2048)), { 'Content-Encoding': 'gzip' }))).toHaveLength(2048);
  });

  it('400 or 415 for raw bodies that cannot be decompressed', async () => {
    expect(await rejection(send('x', { 'Content-Encoding': 'gzip' }))).toMatchObject({ status: 400 });
    expect(await rejection(send('x', { 'Content-Encoding': 'zstd' }))).toMatchObject({ status: 415 });
  });
});
