import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Controller, Get, Module, Post, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { TypeOrmModule } from '@nestjs/typeorm';
import { withPasswrightRoutes } from '@passwright/core';
import { drawImagesOnce, testDatabase, VirtualIPhone } from '@passwright/testing';
import sharp from 'sharp';
import { DataSource } from 'typeorm';
import { guestModules } from '../support/guest-modules.js';
import { startHost } from '../support/host-app.js';
import { hostRequests, responsesOf, type HostResponse } from '../support/host-requests.js';

drawImagesOnce(sharp);

const baseUrl = 'http://passes.example.com/api';
const dir = mkdtempSync(join(tmpdir(), 'passwright guest '));

let host: NestExpressApplication;
let before: HostResponse[];
let port: number;

beforeAll(async () => {
  const { url } = await testDatabase();
  const alone = await startHost(url);
  before = await responsesOf(portOf(alone));
  await alone.close();
  host = await startHost(url, guestModules(url, baseUrl, dir));
  await host.get(DataSource).query('DELETE FROM rate_limit');
  port = portOf(host);
});
afterAll(async () => {
  await host.close();
  rmSync(dir, { recursive: true, force: true });
});

interface Response {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- what a client sees is what is asserted
  readonly body: any;
}

async function call(method: string, path: string, token = '', body?: object, headers = {}): Promise<Response> {
  const { pathname, search } = new URL(path.startsWith('http') ? path : `${baseUrl}${path}`);
  const response = await fetch(`http://127.0.0.1:${port}${pathname}${search}`, {
    method,
    headers: {
      ...(body && { 'Content-Type': 'application/json' }),
      ...(token && { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: body && JSON.stringify(body),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return { status: response.status, headers: response.headers, bytes, body: isJson ? JSON.parse(String(bytes)) : null };
}

/** Registers an account with a template. @returns the token of its admin */
async function anAccount(): Promise<string> {
  const credentials = { email: `${crypto.randomUUID()}@example.com`, password: crypto.randomUUID() };
  const { body } = await call('POST', '/v1/auth/register', '', { ...credentials, name: 'Ada', accountName: 'Museum' });
  const images = ['icon', 'logo', 'banner'].map((name) => [name, `${baseUrl}/images/samples/${name}.png`] as const);
  const saved = await call('POST', '/v1/templates/card', body.accessToken, {
    ...{ type: 'membership', title: 'Card', issuerName: 'Museum', primaryLabel: 'Friend' },
    ...{ foregroundColor: '#fff', backgroundColor: '#123', ...Object.fromEntries(images) },
  });
  expect(saved).toMatchObject({ status: 200 });
  return body.accessToken;
}

describe("the host's own routes", () => {
  it('an app that imports all modules still sends the same bytes from its own routes', async () => {
    await host.get(DataSource).query('TRUNCATE visit RESTART IDENTITY');
    const after = await responsesOf(port);
    expect(before.length).toBeGreaterThanOrEqual(50);
    for (const [index, request] of hostRequests.entries()) {
      expect({ request, response: after[index] }).toEqual({ request, response: before[index] });
    }
  });

  it('the compared requests use every global feature of the host, such as its filter and its guard', () => {
    const headers = before.flatMap((response) => response.headers).join('\n');
    expect(headers).toContain('X-Host-Filter: yes');
    expect(headers).toContain('ETag: W/');
    expect(headers).not.toContain('Content-Security-Policy');
    expect(new Set(before.map(({ status }) => status))).toEqual(
      new Set([200, 201, 203, 204, 302, 304, 400, 403, 404, 418, 500]),
    );
    expect(before.some(({ body }) => body.includes('Grace Hopper'))).toBe(true);
  });

  it("a document contains Passwright's routes only on request", () => {
    const create = () => SwaggerModule.createDocument(host, new DocumentBuilder().build()).paths;
    expect(Object.keys(create())).not.toContain('/api/v1/pass/{templateId}');
    expect(Object.keys(withPasswrightRoutes(create))).toContain('/api/v1/pass/{templateId}');
    expect(Object.keys(create())).not.toContain('/api/v1/pass/{templateId}');
  });
});

describe("Passwright's routes in another app", () => {
  it('the imported modules issue a pass, which a phone installs and a page shows', async () => {
    const token = await anAccount();
    const issued = await call('POST', '/v1/pass/card', token, { primaryValue: 'Ada Lovelace' });
    expect(issued.status).toBe(201);
    expect(issued.body.walletAUrl).toMatch(/^http:\/\/passes\.example\.com\/api\/v1\/pass\//);
    const download = await call('GET', issued.body.walletAUrl);
    expect(download.headers.get('content-type')).toBe('application/vnd.apple.pkpass');
    const phone = VirtualIPhone.create({
      roots: [readFileSync(join(dir, 'chain/root.pem'), 'utf8')],
      route: () => `http://127.0.0.1:${port}`,
    });
    const { registered, json } = await phone.add(download.bytes);
    expect({ registered, failed: phone.failed }).toEqual({ registered: true, failed: [] });
    expect(json.webServiceURL).toBe(baseUrl);
    await phone.close();
    const page = await call('GET', issued.body.webUrl, '', undefined, { Accept: 'text/html' });
    expect({ status: page.status, html: page.bytes.toString() }).toEqual({
      status: 200,
      html: expect.stringContaining('Ada Lovelace') as string,
    });
  });

  it('a message to a holder is sent and appears on the page of the pass', async () => {
    const token = await anAccount();
    const { body } = await call('POST', '/v1/pass/card', token, { primaryValue: 'Ada Lovelace' });
    const sent = await call('POST', `/v1/pass/card/${body.pass.id}/messages`, token, { text: 'Use gate C.' });
    expect(sent).toMatchObject({ status: 201, body: { status: 'sent' } });
    const { bytes } = await call('GET', body.webUrl, '', undefined, { Accept: 'text/html' });
    expect(bytes.toString()).toContain('Use gate C.');
  });

  it('errors, entity tags, headers and idempotency keys work as in the standalone service', async () => {
    const token = await anAccount();
    expect(await call('GET', '/v1/templates')).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    // The host's global pipe rejects the request before ours. The response still has the form of the API's errors.
    const invalid = await call('POST', '/v1/pass/card', token, { primaryValue: 5 });
    expect(invalid).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    const outside = await call('GET', '/v1/templates?limit=1000', token);
    expect(outside).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    const read = await call('GET', '/v1/templates/card', token, undefined, { 'X-Request-Id': 'mine' });
    expect(Object.fromEntries(read.headers)).toMatchObject({
      etag: expect.stringMatching(/^"/) as string,
      'x-request-id': 'mine',
      'content-security-policy': expect.stringContaining("default-src 'none'") as string,
      'ratelimit-limit': '600',
    });
    const key = { 'Idempotency-Key': crypto.randomUUID() };
    const first = await call('POST', '/v1/pass/card', token, { primaryValue: 'Ada' }, key);
    const second = await call('POST', '/v1/pass/card', token, { primaryValue: 'Ada' }, key);
    expect([second.status, second.body]).toEqual([201, first.body]);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    const other = await call('POST', '/v1/pass/card', token, { primaryValue: 'Grace' }, key);
    expect(other.body).toMatchObject({ code: 'idempotency_key_reused' });
  });

  it("the host's global serializer and pipe do not change Passwright's responses or filters", async () => {
    const token = await anAccount();
    const request = { id: 'ada', primaryValue: 'Ada', metadata: { order: { at: null } } };
    const made = await call('POST', '/v1/pass/card', token, request);
    expect(made).toMatchObject({ status: 201, body: { pass: { id: 'ada', metadata: request.metadata } } });
    const read = await call('GET', '/v1/pass/card/ada', token);
    expect(read.body).toEqual(made.body);
    const known = { 'If-None-Match': String(read.headers.get('etag')) };
    expect(await call('GET', '/v1/pass/card/ada', token, undefined, known)).toMatchObject({ status: 304 });
    const idsOf = async (query: string) => {
      const { body } = await call('GET', `/v1/pass/card?${query}`, token);
      return (body.data as { id: string }[]).map(({ id }) => id);
    };
    expect(await idsOf('voided=false&limit=5')).toEqual(['ada']);
    expect(await idsOf('voided=true')).toEqual([]);
    const textual = await call('PATCH', '/v1/pass/card/ada', token, { voided: 'false' });
    expect(textual).toMatchObject({ status: 400, body: { message: 'voided must be a boolean value' } });
  });

  it('the audit trail contains the request id and the address of a change', async () => {
    const token = await anAccount();
    const headers = { 'X-Request-Id': 'renamed-1' };
    expect(await call('PATCH', '/v1/account', token, { name: 'Gallery' }, headers)).toMatchObject({ status: 200 });
    const { body } = await call('GET', '/v1/account/events', token);
    expect(body.data).toContainEqual(expect.objectContaining({ requestId: 'renamed-1', ip: '127.0.0.1' }));
  });
});

describe('the start of an app with HttpModule', () => {
  const start = async (adapter: ExpressAdapter, base: string, controllers: Type[] = [], warn = jest.fn()) => {
    const { url } = await testDatabase();
    @Module({
      imports: [
        TypeOrmModule.forRoot({ type: 'postgres', url, autoLoadEntities: true, retryAttempts: 0 }),
        ...guestModules(url, base, dir),
      ],
      controllers,
    })
    class App {}
    const logger = { log: () => undefined, error: () => undefined, warn };
    const app = await NestFactory.create(App, adapter, { logger, abortOnError: false });
    app.setGlobalPrefix('shop/api');
    try {
      await app.init();
    } finally {
      await app.close();
    }
    return warn.mock.calls.map(([message]) => String(message));
  };

  it('an app on a platform other than Express fails to start, with an error that suggests `routes: false`', async () => {
    class OtherAdapter extends ExpressAdapter {
      override getType() {
        return 'fastify';
      }
    }
    await expect(start(new OtherAdapter(), baseUrl)).rejects.toThrow(
      /run on Express .* runs on fastify.*`routes: false`/,
    );
  });

  it('an app whose baseUrl lacks the prefix gets a warning with the right address', async () => {
    const wrong = await start(new ExpressAdapter(), 'https://passes.example.com');
    expect(wrong).toContainEqual(
      expect.stringContaining("Set the modules' baseUrl to https://passes.example.com/shop/api"),
    );
    const right = await start(new ExpressAdapter(), 'https://passes.example.com/shop/api');
    expect(right.join()).not.toMatch(/baseUrl|No request reaches/);
    const slash = await start(new ExpressAdapter(), 'https://passes.example.com/shop/api/');
    expect(slash).toEqual([expect.stringContaining('leave out the slash at its end')]);
  });

  it('a warning names both routes if one of them hides the other', async () => {
    @Controller('v1')
    class OwnRoutes {
      @Get('account')
      same(): string {
        return 'mine';
      }

      @Get('templates/:own')
      alike(): string {
        return 'mine';
      }

      @Post('account')
      otherMethod(): string {
        return 'mine';
      }
    }
    const warned = await start(new ExpressAdapter(), 'https://passes.example.com/shop/api', [OwnRoutes]);
    const hidden = warned.flatMap(
      (text) => /No request reaches the route (.*), because (.*) is registered/.exec(text)?.[0] ?? [],
    );
    expect(hidden).toHaveLength(2);
    expect(hidden.join()).toMatch(/GET \/shop\/api\/v1\/account, because GET \/shop\/api\/v1\/account is/);
    expect(hidden.join()).toMatch(
      /GET \/shop\/api\/v1\/templates\/:\w+, because GET \/shop\/api\/v1\/templates\/:\w+ is/,
    );
  });
});

function portOf(app: NestExpressApplication): number {
  return (app.getHttpServer().address() as AddressInfo).port;
}
