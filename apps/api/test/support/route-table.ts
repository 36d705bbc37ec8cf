import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ACCESS, declaredErrors, withPasswrightRoutes, type Access, type AppErrorClass } from '@passwright/core';
import type { RunningService } from './running-service.js';

/** A route as its controller declares it. */
export interface Route {
  /** The controller and the handler, such as `PassesController.create`. */
  name: string;
  method: string;
  /** The path with its `:parameters`. */
  path: string;
  access: Access | undefined;
  errors: readonly AppErrorClass[];
  /** True if the OpenAPI document includes the route. Another protocol describes the other routes. */
  documented: boolean;
}

/** `@ApiExcludeController` sets metadata under this key. */
const EXCLUDED = 'swagger/apiExcludeController';
const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'ALL', 'OPTIONS', 'HEAD'];

function isExcluded(controller: object): boolean {
  return (Reflect.getMetadata(EXCLUDED, controller) as boolean[] | undefined)?.[0] === true;
}

/** Lists every route of the running app. */
export function routeTable({ app }: RunningService): Route[] {
  const reflector = app.get(Reflector);
  const scanner = new MetadataScanner();
  return app
    .get(DiscoveryService, { strict: false })
    .getControllers()
    .flatMap(({ instance, metatype }) => {
      const prefixes = [Reflect.getMetadata(PATH_METADATA, metatype as object)].flat() as string[];
      const documented = withPasswrightRoutes(() => !isExcluded(metatype as object));
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
            method,
            path: `/${[prefix, own].join('/').split('/').filter(Boolean).join('/')}`,
            access,
            errors: declaredErrors(handler),
            documented,
          })),
        );
      });
    });
}
