import { RunningService } from '../support/running-service.js';

let service: RunningService;

beforeAll(async () => {
  service = await RunningService.start({
    BASE_URL: 'https://passes.example.com/wallet',
    RATE_LIMIT_PER_MINUTE: '1000',
  });
});
afterAll(() => service.stop());

const page = async (path: string) => {
  const { status, headers, bytes } = await service.request('GET', path);
  return { status, type: headers.get('content-type'), etag: headers.get('etag') ?? '', html: bytes.toString() };
};

it('a browser reads the overview and a guide, whose links contain the address of the service', async () => {
  const overview = await page('/guides');
  expect([overview.status, overview.type]).toEqual([200, 'text/html; charset=utf-8']);
  expect(overview.html).toContain('<h1 id="all-documents">All documents</h1>');
  expect(overview.html).toContain('href="/wallet/guides/recipes/loyalty"');
  const { status, html } = await page('/guides/recipes/loyalty');
  expect(status).toBe(200);
  expect(html).toContain('aria-current="page"');
});

it('every link and image in the guides leads to a page of the service, and every fragment to a heading', async () => {
  const root = '/wallet';
  const seen = new Map<string, string>();
  const open = async (path: string): Promise<string> => {
    const known = seen.get(path);
    if (known !== undefined) return known;
    const { status, html } = await page(path);
    expect([path, status]).toEqual([path, 200]);
    seen.set(path, html);
    return html;
  };
  const paths = ['/guides'];
  for (const path of paths) {
    const html = await open(path);
    const addresses = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address = '']) => address);
    for (const address of addresses) {
      const { origin, pathname, hash } = new URL(address, `http://here${root}${path}`);
      if (origin !== 'http://here') continue;
      expect([path, pathname]).toEqual([path, expect.stringMatching(/^\/wallet(?:\/|$)/)]);
      const target = pathname.slice(root.length) || '/';
      const shown = await open(target);
      if (target.startsWith('/guides') && !target.includes('/images/') && !paths.includes(target)) paths.push(target);
      if (hash && target.startsWith('/guides')) {
        expect([path, target, shown.includes(`id="${decodeURIComponent(hash.slice(1))}"`)]).toEqual([
          path,
          target,
          true,
        ]);
      }
    }
  }
  expect(paths.length).toBeGreaterThan(30);
}, 60_000);

it('the search finds sections, and escapes the typed words', async () => {
  const found = await page('/guides/search?q=idempotency');
  expect(found.html).toMatch(/\d+ results for <strong>idempotency<\/strong>/);
  expect(found.html).toContain('href="/wallet/guides/');
  const nothing = await page(`/guides/search?q=${encodeURIComponent('<b>zzz</b>')}`);
  expect(nothing.html).toContain('Nothing is found for <strong>&lt;b&gt;zzz&lt;/b&gt;</strong>');
  for (const query of ['', '?q=', '?q=a&q=b', `?q=${'x'.repeat(5000)}`]) {
    expect([query.slice(0, 20), (await page(`/guides/search${query}`)).status]).toEqual([query.slice(0, 20), 200]);
  }
});

it('a guide may be cached and is revalidated by its tag', async () => {
  const { etag } = await page('/guides/webhooks');
  const again = await service.request('GET', '/guides/webhooks', { headers: { 'If-None-Match': etag } });
  expect(again.status).toBe(304);
});

it.each([
  'missing',
  'README',
  'webhooks.md',
  'recipes/missing',
  '..%2Fpackage',
  'images/..%2Fwebhooks.md',
  'images/x.png',
])('404 route_not_found for /guides/%s', async (path) => {
  const { status, body } = await service.request('GET', `/guides/${path}`);
  expect([status, body.code]).toEqual([404, 'route_not_found']);
});
