import type { ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { isBodyless } from '@passwright/core';

export interface HandlerParameters {
  /** The kinds of the parameters, as in Nest's `RouteParamtypes`. Custom ones are NaN. */
  readonly kinds: ReadonlySet<number>;
  /** False if no parameter can contain the body. */
  readonly mayTakeBody: boolean;
  /** False if no parameter takes the query. `@Req()` does not count: handlers use it for other parts of the request. */
  readonly mayTakeQuery: boolean;
}

const bodyless = new Set<number>([
  RouteParamtypes.RESPONSE,
  RouteParamtypes.NEXT,
  RouteParamtypes.QUERY,
  RouteParamtypes.PARAM,
  RouteParamtypes.HEADERS,
  RouteParamtypes.SESSION,
  RouteParamtypes.HOST,
  RouteParamtypes.IP,
]);
const known = new WeakMap<object, HandlerParameters>();

/** Returns the parameters of a handler. They are unknown, so may take a body, if it is not a method of its class. */
export function handlerParameters(context: ExecutionContext): HandlerParameters {
  const handler = context.getHandler();
  const parameters = known.get(handler) ?? readParameters(context);
  known.set(handler, parameters);
  return parameters;
}

function readParameters(context: ExecutionContext): HandlerParameters {
  const name = propertyName(context);
  if (name === undefined) return { kinds: new Set(), mayTakeBody: true, mayTakeQuery: true };
  const metadata: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), name);
  const parameters = Object.entries((metadata ?? {}) as Record<string, { readonly factory?: unknown }>).map(
    ([key, { factory }]) => ({ kind: Number(key.split(':', 1)[0]), factory }),
  );
  const kinds = new Set(parameters.map(({ kind }) => kind));
  const ownReaders = parameters.filter(({ kind, factory }) => Number.isNaN(kind) && !isBodyless(factory));
  return {
    kinds,
    mayTakeBody: ownReaders.length > 0 || [...kinds].some((kind) => !Number.isNaN(kind) && !bodyless.has(kind)),
    mayTakeQuery: kinds.has(RouteParamtypes.QUERY) || ownReaders.length > 0,
  };
}

/** Returns the property that holds the handler. A decorator may have wrapped it, so its own name may be another. */
function propertyName(context: ExecutionContext): string | undefined {
  const handler: unknown = context.getHandler();
  let holder = context.getClass().prototype as object | null;
  for (; holder; holder = Object.getPrototypeOf(holder) as object | null) {
    const found = Object.entries(Object.getOwnPropertyDescriptors(holder)).find(([, { value }]) => value === handler);
    if (found) return found[0];
  }
  return undefined;
}
