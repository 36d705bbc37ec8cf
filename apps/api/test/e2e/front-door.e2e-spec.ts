import { NotReady, RateLimited } from '@passwright/core';
import { RateLimitGuard } from '@passwright/http';
import fc from 'fast-check';
import sharp from 'sharp';
import { ReadinessService } from '../../src/health/readiness.service.js';
import { ApiDocumentService } from '../../src/openapi/api-document.service.js';
import { RunningService, type Account, type ApiResponse } from '../support/running-service.js';

const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'Accept-Language': 'en' };
const programs: Record<string, string>[] = [{}, { Accept: '*/*' }, { Accept: 'application/json' }];

let service: RunningService;
let limited: RunningService;
let account: Account;
/** The paths of a deleted pass. */
let deleted: { apple: string; google: string; web: string };

beforeAll(async () => {
  service = await RunningService.start();
  limited = await RunningService.start({}, service);
  account = await service.register();
  const { body } = await account.issue('offer');
  const [apple = '', google = '', web = ''] = [body.walletAUrl, body.walletBUrl, body.webUrl].map(
    (url: string) => new URL(url).pathname,
  );
  deleted = { apple, google, web };
  await account.delete(`/v1/pass/offer/${body.pass.id}`);
  // Create the page of Swagger UI now, because the mocks below would make this fail.
  await service.request('GET', '/docs');
  const { app } = service;
  jest.spyOn(app.get(ApiDocumentService), 'get').mockImplementation(() => {
    throw new Error('a secret of the inside');
  });
  jest.spyOn(app.get(ReadinessService), 'check').mockRejectedValue(new NotReady('The database is away.'));
  jest.spyOn(limited.app.get(RateLimitGuard), 'canActivate').mockRejectedValue(new RateLimited('Too many.', 7));
});
afterAll(async () => {
  jest.restoreAllMocks();
  await limited.stop();
  await service.stop();
});

const isPage = ({ headers }: ApiResponse) => headers.get('content-type') === 'text/html; charset=utf-8';

describe('the address of the service', () => {
  it('a browser gets the start page, and a program gets JSON with the name, the version and the links', async () => {
    const page = await service.request('GET', '/', { headers: browser });
    expect([page.status, isPage(page), page.headers.get('vary')]).toEqual([200, true, 'Accept']);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(page.bytes.toString()).toContain('Passwright');
    for (const headers of programs) {
      const { status, body } = await service.request('GET', '/', { headers });
      const links = { docs: expect.stringMatching(/^http.*\/docs$/), openapi: expect.any(String) };
      expect([status, body]).toEqual([
        200,
        { name: 'Passwright', version: expect.stringMatching(/^\d+\.\d+\.\d+/), links: expect.objectContaining(links) },
      ]);
    }
  });

  it('HEAD has the status and the headers of GET', async () => {
    const [head, get] = [
      await service.request('HEAD', '/', { headers: browser }),
      await service.request('GET', '/', { headers: browser }),
    ];
    expect([head.status, head.bytes.length, isPage(head)]).toEqual([200, 0, true]);
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  });

  it('405 for another method', async () => {
    const { status, headers } = await service.request('POST', '/');
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('the start page shows the current health', async () => {
    const health = async () => (await service.request('GET', '/', { headers: browser })).bytes.toString();
    expect(await health()).toContain('The service is ready.');
    const spy = jest.spyOn(service.app.get(ReadinessService), 'problem').mockResolvedValue('The database is away.');
    expect(await health()).toContain('The service is not ready. The database is away.');
    spy.mockRestore();
  });

  it('all links of the start page lead to a page, a document or an operation', async () => {
    const { bytes } = await service.request('GET', '/', { headers: browser });
    const hrefs = [...bytes.toString().matchAll(/(?:href|src)="([^"]+)"/g)].map(([, href = '']) => href);
    expect(hrefs.length).toBeGreaterThan(8);
    const { paths } = limited.app.get(ApiDocumentService).get().document;
    const operations = Object.values(paths)
      .flatMap((path) => Object.values(path) as { tags: string[]; operationId: string }[])
      .flatMap(({ tags, operationId }) => tags.map((tag) => `/${tag}/${operationId}`));
    // The mocks in `beforeAll` make these addresses fail.
    const broken = ['/openapi.json', '/openapi.yaml', '/postman.json', '/health/ready'];
    for (const href of hrefs) {
      const { pathname, hash } = new URL(href, service.baseUrl);
      if (!broken.includes(pathname)) {
        expect([href, (await service.request('GET', pathname)).status]).toEqual([href, 200]);
      }
      if (hash) expect(operations).toContain(hash.slice(1));
    }
  });

  it.each([
    ['/favicon.svg', 'image/svg+xml'],
    ['/favicon.ico', 'image/x-icon'],
  ])('the icon %s is cached for a day and revalidated by its tag', async (path, type) => {
    const { status, headers } = await service.request('GET', path);
    const [contentType, cacheControl] = [headers.get('content-type'), headers.get('cache-control')];
    expect([status, contentType, cacheControl]).toEqual([200, type, 'public, max-age=86400']);
    const known = { 'If-None-Match': headers.get('etag') ?? '' };
    expect((await service.request('GET', path, { headers: known })).status).toBe(304);
  });

  it('the two icons are the same picture', async () => {
    const [svg, ico] = [await service.request('GET', '/favicon.svg'), await service.request('GET', '/favicon.ico')];
    const pixels = (picture: Buffer) => sharp(picture).resize(32).ensureAlpha().raw().toBuffer();
    // An ICO file has 22 bytes before its only image: https://en.wikipedia.org/wiki/ICO_(file_format)
    const [drawn, stored] = [await pixels(svg.bytes), await pixels(ico.bytes.subarray(22))];
    const differences = drawn.map((value, at) => Math.abs(value - (stored[at] ?? 0)));
    expect(Math.max(...differences)).toBeLessThan(4);
  });
});

/** A failure: its node, path, status and error code. */
type Failure = [node: () => RunningService, path: () => string, status: number, code: string];
const failures: Record<string, Failure> = {
  'an unknown address': [() => service, () => '/there/is/nothing', 404, 'route_not_found'],
  'an unknown address of the API': [() => service, () => '/v1/nothing', 404, 'route_not_found'],
  'an unknown file of Swagger UI': [() => service, () => '/docs/nothing.js', 404, 'route_not_found'],
  'an address that needs a credential': [() => service, () => '/v1/templates', 401, 'unauthorized'],
  'an address that is not for reading': [() => service, () => '/v1/auth/login', 405, 'method_not_allowed'],
  'a malformed address': [() => service, () => '/%ff', 400, 'validation_failed'],
  'an error of the service': [() => service, () => '/openapi.json', 500, 'internal'],
  'a service that is not ready': [() => service, () => '/health/ready', 503, 'not_ready'],
  'too many requests': [() => limited, () => '/docs', 429, 'rate_limited'],
  'the Apple link of a deleted pass': [() => service, () => deleted.apple, 404, 'pass_not_found'],
  'the Google link of a deleted pass': [() => service, () => deleted.google, 404, 'pass_not_found'],
  'the web view of a deleted pass': [() => service, () => deleted.web, 410, 'pass_deleted'],
};

describe.each(Object.entries(failures))('%s', (_, [node, path, status, code]) => {
  const get = (headers: Record<string, string>) => node().request('GET', path(), { headers });

  it(`${status} ${code} as a page for browsers, with the cause, the remedy and the request id`, async () => {
    const response = await get({ ...browser, 'X-Request-Id': 'find-me' });
    expect([response.status, isPage(response)]).toEqual([status, true]);
    const text = response.bytes.toString();
    expect(text).toMatch(/^<!doctype html>\n<html lang="en" dir="ltr">[^]*<h1[^]*find-me/);
    expect(text).not.toMatch(/secret|<script/);
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^;]*; img/,
    );
    expect(response.headers.get('x-robots-tag')).toBe('noindex');
  });

  it(`${status} ${code} as JSON for programs, with the headers of the page`, async () => {
    const page = await get(browser);
    for (const headers of programs) {
      const response = await get(headers);
      expect(response.body).toMatchObject({ statusCode: status, code });
      expect([response.status, response.headers.get('content-type')]).toEqual([
        status,
        'application/json; charset=utf-8',
      ]);
      for (const name of ['cache-control', 'allow', 'www-authenticate', 'x-content-type-options', 'referrer-policy'])
        expect([name, page.headers.get(name)]).toEqual([name, response.headers.get(name)]);
      for (const name of ['retry-after', 'ratelimit-limit', 'x-request-id'])
        expect([name, page.headers.has(name)]).toEqual([name, response.headers.has(name)]);
    }
  });

  it('HEAD has the status without a body', async () => {
    const response = await node().request('HEAD', path(), { headers: browser });
    expect([response.status, response.bytes.length]).toEqual([status, 0]);
  });
});

it('a write gets JSON even if a browser sends it', async () => {
  const { status, body } = await service.request('POST', '/v1/auth/login', { headers: browser, body: {} });
  expect([status, body.code]).toEqual([400, 'validation_failed']);
});

it.each(['apple', 'google', 'web'] as const)(
  'the %s link of a deleted pass tells holders in their language that the pass was withdrawn',
  async (link) => {
    const french = { ...browser, 'Accept-Language': 'fr' };
    const { bytes, headers } = await service.request('GET', deleted[link], { headers: french });
    expect(headers.get('content-language')).toBe('fr');
    expect(bytes.toString()).toContain('Ce pass n’est plus valable');
    const unknown = deleted[link].replace('/offer/', '/offer/none-');
    expect((await service.request('GET', unknown, { headers: french })).bytes.toString()).toContain(
      'Il n’y a pas de pass ici',
    );
  },
);

it('the status is the same for every Accept header; only requests for HTML get a page', async () => {
  const types = ['text/html', 'application/json', '*/*', 'text/*', 'application/*', 'image/png', 'html', ''];
  const range = fc.tuple(
    fc.constantFrom(...types),
    fc.constantFrom('', ';q=0.9', ';q=0.1', ';q=0', ';q=x', ';level=1'),
  );
  const printable = fc.string({ unit: fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code)) });
  const accepts = fc.oneof(fc.array(range.map((parts) => parts.join(''))).map(String), printable);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.values(failures)),
      accepts,
      async ([node, path, status, code], Accept) => {
        const response = await node().request('GET', path(), { headers: { Accept } });
        expect(response.status).toBe(status);
        if (isPage(response)) expect(Accept).toContain('text/html');
        else expect(response.body).toMatchObject({ statusCode: status, code });
      },
    ),
    { numRuns: 150 },
  );
});
