import type { NextFunction, Request, Response } from 'express';

/** The part of Express's router that this file reads. */
interface RouterLayer {
  readonly route?: { readonly path?: unknown; readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): unknown;
}

/**
 * Returns the methods that the app's own routes accept on this request's path, in alphabetical order; an empty list if
 * no route matches.
 */
export function allowedMethods(request: Request): string[] {
  const { stack } = request.app.router as unknown as { readonly stack: readonly RouterLayer[] };
  const methods = new Set<string>();
  for (const layer of stack) {
    const own = Object.keys(layer.route?.methods ?? {});
    // Count only handlers, which have one method. A middleware for all methods is also a route, but does not respond.
    if (own.length === 1 && own[0] && layer.match(request.path)) methods.add(own[0].toUpperCase());
  }
  // Express supports HEAD on every route with GET.
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}

/** Returns the paths of the routes that an Express app serves, as they were registered. */
export function routePaths(app: unknown): string[] {
  const { stack } = (app as Request['app']).router as unknown as { readonly stack: readonly RouterLayer[] };
  return stack.map(({ route }) => route?.path).filter((path) => typeof path === 'string');
}

/** A route that gets no requests, because an earlier route with the same method matches its path. */
export interface ShadowedRoute {
  readonly method: string;
  readonly path: string;
  /** The path of the earlier route. */
  readonly by: string;
}

/**
 * Finds the routes of an Express app that get no requests, because an earlier route matches their path.
 * @param counts returns true if `path`, which the earlier route `by` hides, should be reported
 */
export function shadowedRoutes(app: unknown, counts: (path: string, by: string) => boolean): ShadowedRoute[] {
  const { stack } = (app as Request['app']).router as unknown as { readonly stack: readonly RouterLayer[] };
  const routes = stack.flatMap((layer) => {
    const [method, ...others] = Object.keys(layer.route?.methods ?? {});
    const path = layer.route?.path;
    return method !== undefined && others.length === 0 && typeof path === 'string' ? [{ method, path, layer }] : [];
  });
  return routes.flatMap(({ method, path, layer }, at) => {
    // Replace each parameter with an arbitrary text.
    const sample = path.replace(/[:*]\w+/g, 'x').replace(/[{}]/g, '');
    if (!layer.match(sample)) return [];
    const earlier = routes.slice(0, at).filter((other) => other.method === method && other.layer.match(sample));
    const first = earlier.find((other) => counts(path, other.path));
    return first ? [{ method: method.toUpperCase(), path, by: first.path }] : [];
  });
}

/** Responds to `OPTIONS` on every route with the methods of the route. */
export function sendOptions(request: Request, response: Response, next: NextFunction): void {
  const methods = request.method === 'OPTIONS' ? allowedMethods(request) : [];
  if (methods.length === 0) next();
  else
    response
      .set('Allow', [...methods, 'OPTIONS'].join(', '))
      .status(204)
      .end();
}
