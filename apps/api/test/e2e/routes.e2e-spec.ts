import { bodySchema, filled, isLenient, operationsOf } from '../support/operations.js';
import { routeTable, type Route } from '../support/route-table.js';
import { RunningService } from '../support/running-service.js';

const allScopes = ['templates', 'passes', 'members', 'account'].flatMap((each) => [`${each}:read`, `${each}:write`]);

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

  it('400 validation_failed for an unknown query parameter on every route that takes a credential', async () => {
    const account = await service.register();
    const key = await account.apiKey(...allScopes);
    // At `/mcp`, clients may add parameters of their own.
    const guarded = routes.filter(({ access, path }) => access?.kind !== 'public' && path !== '/mcp');
    for (const { method, path, name, access } of guarded) {
      const token = access?.kind === 'user' ? account.token : key;
      const { status, body } = await service.request(method, `${path.replace(/:\w+/g, '1')}?silent=true`, { token });
      expect({ name, status, message: body.message }).toEqual({
        name,
        status: 400,
        message: 'silent is not known here',
      });
    }
  });

  it('400 validation_failed for an unknown query parameter on every public route that takes JSON', async () => {
    const { body: document } = await service.request('GET', '/openapi.json');
    const open = operationsOf(document).filter((one) => !one.secured && bodySchema(one) && !isLenient(one));
    for (const { method, path, id } of open) {
      const { status, body } = await service.request(method, `${filled(path, {})}?silent=true`);
      expect({ id, status, message: body.message }).toEqual({ id, status: 400, message: 'silent is not known here' });
    }
    expect(open.length).toBeGreaterThan(5);
  });

  it('every public page, link and route for phones and other services ignores unknown query parameters', async () => {
    const { body: document } = await service.request('GET', '/openapi.json');
    const open = operationsOf(document).filter(
      (one) => (one.isForPhones || !one.secured) && (isLenient(one) || !bodySchema(one)),
    );
    for (const { method, path, id } of open) {
      // A sign-in names its parameters, because a misspelt `returnTo` would lose the person's way back.
      if (id === 'startSignIn') continue;
      const target = filled(path, {});
      const { status } = await service.request(method, target);
      const tagged = await service.request(method, `${target}?utm_source=mail`);
      expect({ id, status: tagged.status }).toEqual({ id, status });
      // Some of these routes respond with 400 to both requests.
      expect({ id, text: tagged.bytes.toString() }).toEqual({
        id,
        text: expect.not.stringContaining('is not known here'),
      });
    }
    expect(open.length).toBeGreaterThan(20);
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
