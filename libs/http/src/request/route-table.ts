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
    // A middleware that Nest mounts on all routes is a route of all methods (`_all`), but answers none.
    if (!layer.route || layer.route.methods._all || !layer.match(request.path)) continue;
    for (const method of Object.keys(layer.route.methods)) methods.add(method.toUpperCase());
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
