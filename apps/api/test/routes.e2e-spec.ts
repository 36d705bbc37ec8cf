import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { ACCESS, declaredErrors, type Access } from '@passwright/core';
import { RunningService } from './running-service.js';

interface Route {
  name: string;
  handler: object;
  method: string;
  path: string;
  access: Access | undefined;
}

const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'ALL', 'OPTIONS', 'HEAD'];

describe('the route table', () => {
  let service: RunningService;
  let routes: Route[];

  beforeAll(async () => {
    service = await RunningService.start();
    routes = routeTable(service);
  });
  afterAll(() => service.stop());

  it('is found whole: every operation of the OpenAPI document is in it, and the other way round', async () => {
    const { body } = await service.request('GET', '/openapi.json');
    const documented = Object.entries(body.paths as Record<string, object>).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const served = routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);

    expect(served.length).toBeGreaterThan(25);
    expect([...served].sort()).toEqual(documented.sort());
  });

  it('declares the access of every route', () => {
    expect(routes.filter(({ access }) => access === undefined).map(({ name }) => name)).toEqual([]);
  });

  it('lets nobody without a credential into a route that is not public', async () => {
    const guarded = routes.filter(({ access }) => access?.kind !== 'public');
    for (const { method, path, name } of guarded) {
      const { status, body } = await service.request(method, path.replace(/:\w+/g, 'x'));
      expect({ name, status, code: body.code }).toEqual({ name, status: 401, code: 'unauthorized' });
    }
  });

  it('declares the errors that its access rule brings', () => {
    for (const { access, handler, name } of routes) {
      const codes = declaredErrors(handler).map(({ code }) => code);
      const expected =
        access?.kind === 'public' ? ['rate_limited', 'internal'] : ['unauthorized', 'token_expired', 'forbidden'];
      expect({ name, codes }).toEqual({ name, codes: expect.arrayContaining(expected) });
    }
  });

  it('answers another method on a known path with 405 and Allow', async () => {
    const { status, body, headers } = await service.request('PUT', '/v1/auth/login');
    expect({ status, code: body.code, allow: headers.get('allow') }).toEqual({
      status: 405,
      code: 'method_not_allowed',
      allow: 'POST',
    });
  });
});

function routeTable({ app }: RunningService): Route[] {
  const reflector = app.get(Reflector);
  const scanner = new MetadataScanner();
  return app
    .get(DiscoveryService, { strict: false })
    .getControllers()
    .flatMap(({ instance, metatype }) => {
      const prefixes = [Reflect.getMetadata(PATH_METADATA, metatype as object)].flat() as string[];
      const prototype = Object.getPrototypeOf(instance) as Record<string, object>;
      return scanner.getAllMethodNames(prototype).flatMap((key) => {
        const handler = prototype[key] as () => unknown;
        const path = Reflect.getMetadata(PATH_METADATA, handler) as string | string[] | undefined;
        if (path === undefined) return [];
        const method = methods[Reflect.getMetadata(METHOD_METADATA, handler) as number] as string;
        const access = reflector.get<Access | undefined>(ACCESS, handler);
        return prefixes.flatMap((prefix) =>
          [path].flat().map((own) => ({
            name: `${(metatype as { name: string }).name}.${key}`,
            handler,
            method,
            path: `/${[prefix, own].join('/').split('/').filter(Boolean).join('/')}`,
            access,
          })),
        );
      });
    });
}
