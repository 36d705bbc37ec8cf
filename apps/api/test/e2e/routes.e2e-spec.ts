import { routeTable, type Route } from '../support/route-table.js';
import { RunningService } from '../support/running-service.js';

describe('the route table', () => {
  let service: RunningService;
  let routes: Route[];

  beforeAll(async () => {
    service = await RunningService.start();
    routes = routeTable(service);
  });
  afterAll(() => service.stop());

  it('the route table and the OpenAPI document contain the same operations', async () => {
    const { body } = await service.request('GET', '/openapi.json');
    const documented = Object.entries(body.paths as Record<string, object>).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const served = routes
      .filter((route) => route.documented)
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);

    expect(routes.filter((route) => !route.documented).map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /openapi.json',
      'GET /openapi.yaml',
      'GET /postman.json',
      'GET /docs',
      'GET /docs/index.html',
      'GET /docs/:file',
      'GET /guides',
      'GET /guides/search',
      'GET /guides/images/:name',
      'GET /guides/:name',
      'GET /guides/:folder/:name',
      'GET /workbench',
      'GET /workbench/:file',
      'GET /',
      'GET /favicon.svg',
      'GET /favicon.ico',
      'POST /mcp',
      'GET /.well-known/oauth-protected-resource',
      'GET /.well-known/oauth-protected-resource/mcp',
    ]);
    expect(served.length).toBeGreaterThan(25);
    expect([...served].sort()).toEqual(documented.sort());
  });

  it('every route declares its access', () => {
    expect(routes.filter(({ access }) => access === undefined).map(({ name }) => name)).toEqual([]);
  });

  it('401 for callers without a credential on every route that is not public', async () => {
    const guarded = routes.filter(({ access }) => access?.kind !== 'public');
    for (const { method, path, name } of guarded) {
      const { status, body } = await service.request(method, path.replace(/:\w+/g, 'x'));
      expect({ name, status, code: body.code }).toEqual({ name, status: 401, code: 'unauthorized' });
    }
  });

  it('every route declares the errors that its access rule implies', () => {
    for (const { access, errors, name } of routes) {
      const codes = errors.map(({ code }) => code);
      const isUnlimited = access?.kind === 'public' && access.unlimited === true;
      const expected = [
        'internal',
        ...(isUnlimited ? [] : ['rate_limited']),
        ...(access?.kind === 'public' ? [] : ['unauthorized', 'token_expired', 'forbidden']),
      ];
      expect({ name, codes }).toEqual({ name, codes: expect.arrayContaining(expected) });
      expect(codes.includes('rate_limited')).toBe(!isUnlimited);
    }
  });

  it('405 with Allow for another method on a known path', async () => {
    const { status, body, headers } = await service.request('PUT', '/v1/auth/login');
    expect({ status, code: body.code, allow: headers.get('allow') }).toEqual({
      status: 405,
      code: 'method_not_allowed',
      allow: 'POST',
    });
  });
});
