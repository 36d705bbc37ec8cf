import type { ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';

/** Returns the kinds of the parameters of a handler, as in Nest's `RouteParamtypes`. */
export function parameterKinds(context: ExecutionContext): ReadonlySet<number> {
  const metadata: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name);
  return new Set(Object.keys(metadata ?? {}).map((key) => Number(key.split(':', 1)[0])));
}
