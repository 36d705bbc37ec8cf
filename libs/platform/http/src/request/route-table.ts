import type { NextFunction, Request, Response } from 'express';

/** What this reads of Express' router. */
interface RouterLayer {
  readonly route?: { readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): unknown;
}

/** The methods that the app's own routes take on this request's path, in alphabetical order; none when no route has it. */
export function allowedMethods(request: Request): string[] {
  const { stack } = request.app.router as unknown as { readonly stack: readonly RouterLayer[] };
  const methods = new Set<string>();
  for (const layer of stack) {
    const own = Object.keys(layer.route?.methods ?? {});
    // A handler takes one method; a middleware that Nest mounts for all of them is a route too, but answers none.
    if (own.length === 1 && own[0] && layer.match(request.path)) methods.add(own[0].toUpperCase());
  }
  // Express answers HEAD wherever it answers GET.
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}

/** Answers `OPTIONS` of every route with the methods it takes. */
export function answerOptions(request: Request, response: Response, next: NextFunction): void {
  const methods = request.method === 'OPTIONS' ? allowedMethods(request) : [];
  if (methods.length === 0) next();
  else
    response
      .set('Allow', [...methods, 'OPTIONS'].join(', '))
      .status(204)
      .end();
}
