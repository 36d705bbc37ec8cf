import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describedApp } from '../../src/described-app.js';
import { documentTexts } from '../../src/openapi/document-texts.js';
import { openApiDocument } from '../../src/openapi/openapi.js';
import { storeDocument, STORED_BASE_URL, storedDocument } from '../../src/openapi/stored-document.js';
import { version } from '../../src/version.js';
import { RunningService, type ApiResponse } from '../support/running-service.js';

const root = join(__dirname, '../../../..');

describe('public documents', () => {
  let service: RunningService;

  beforeAll(async () => {
    service = await RunningService.start({ RATE_LIMIT_PER_MINUTE: '1000' });
  });
  afterAll(() => service.stop());

  const files = [
    '/openapi.json',
    '/openapi.yaml',
    '/docs',
    '/docs/swagger-ui-bundle.js',
    '/docs/swagger-ui-init.js',
    '/docs/operations.js',
  ];

  it.each(files)('the public document %s has an entity tag, a 304 response and a rate limit', async (path) => {
    const first = await service.request('GET', path);
    const etag = first.headers.get('etag') ?? '';
    expect({ status: first.status, limit: first.headers.get('ratelimit-limit') }).toEqual({
      status: 200,
      limit: '1000',
    });
    expect(first.bytes.length).toBeGreaterThan(100);
    const again = await service.request('GET', path, { headers: { 'If-None-Match': etag } });
    expect({ status: again.status, length: again.bytes.length }).toEqual({ status: 304, length: 0 });
  });

  it('a public document is compressed for clients that accept gzip, and has an entity tag in both forms', async () => {
    const get = (encoding: string, etag = '') =>
      service.request('GET', '/openapi.json', { headers: { 'Accept-Encoding': encoding, 'If-None-Match': etag } });
    const [plain, gzipped] = [await get('identity'), await get('gzip')];
    const seen = ({ headers }: ApiResponse) => [headers.get('content-encoding'), headers.get('vary')];
    expect([seen(plain), seen(gzipped)]).toEqual([
      [null, expect.stringContaining('Accept-Encoding')],
      ['gzip', expect.stringContaining('Accept-Encoding')],
    ]);
    expect(gzipped.body).toEqual(plain.body);
    const tags = [plain, gzipped].map(({ headers }) => headers.get('etag') ?? '');
    expect(new Set(tags).size).toBe(2);
    for (const etag of tags) expect((await get('gzip', etag)).status).toBe(304);
  });

  it('the OpenAPI document is created once, not for each request', async () => {
    const stringify = jest.spyOn(JSON, 'stringify');
    const [one, two] = [await service.request('GET', '/openapi.yaml'), await service.request('GET', '/openapi.json')];
    expect(stringify.mock.calls.filter(([value]) => (value as { paths?: object } | undefined)?.paths)).toEqual([]);
    expect([one.headers.get('content-type'), two.headers.get('content-type')]).toEqual([
      'text/yaml; charset=utf-8',
      'application/json; charset=utf-8',
    ]);
    stringify.mockRestore();
  });

  it.each(['http://localhost:3000', 'https://passes.example.com/wallet'])(
    'the document that the build stores equals the document of the running app for the base URL %s',
    async (baseUrl) => {
      const folder = mkdtempSync(join(tmpdir(), 'passwright document '));
      storeDocument(documentTexts(openApiDocument(await describedApp(), STORED_BASE_URL)), folder);
      const stored = storedDocument(baseUrl, folder);
      rmSync(folder, { recursive: true });
      const whole = documentTexts(openApiDocument(service.app, baseUrl));
      const differing = (Object.keys(whole) as (keyof typeof whole)[]).filter((name) => stored?.[name] !== whole[name]);
      expect(differing).toEqual([]);
    },
  );

  it('the start page, the OpenAPI document, health and the packages name the same version', async () => {
    const [start, document, health] = await Promise.all(
      ['/', '/openapi.json', '/health/live'].map((path) => service.request('GET', path)),
    );
    expect([start?.body.version, document?.body.info.version, health?.body.version]).toEqual([
      version,
      version,
      version,
    ]);
    for (const path of ['apps/cli', 'libs/clients/client', 'libs/platform/core'])
      expect(JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'))).toMatchObject({ version });
  });

  it.each(['swagger-ui-bundle.js.map', 'package.json', 'README.md', 'index.js', '..%2fpackage.json'])(
    '404 route_not_found for /docs/%s',
    async (name) => {
      const { status, body } = await service.request('GET', `/docs/${name}`);
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'route_not_found' });
    },
  );

  it('/docs/ serves the same page as /docs, and old bookmarks of /docs/index.html are redirected to it', async () => {
    const { status, bytes } = await service.request('GET', '/docs/');
    expect([status, bytes.toString()]).toEqual([200, expect.stringContaining('<script src="./operations.js"')]);
    const moved = await fetch(`${service.baseUrl}/docs/index.html`, { redirect: 'manual' });
    expect([moved.status, moved.headers.get('location')]).toEqual([301, '../docs']);
  });

  it('the content security policy of /docs forbids inline content', async () => {
    const { headers, bytes } = await service.request('GET', '/docs');
    expect(headers.get('content-security-policy')).toMatch(/style-src 'self' /);
    expect(headers.get('content-security-policy')).not.toContain('unsafe-inline');
    expect(bytes.toString()).not.toMatch(/<style|style=|<script>/);
  });
});
