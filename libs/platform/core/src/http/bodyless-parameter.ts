import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

const MARK = 'passwright:bodyless';

/**
 * Creates a parameter decorator as Nest's `createParamDecorator` does. `factory` must not read the body or
 * the query: a route that has only such parameters rejects both.
 */
export function createBodylessParameter<T>(factory: (data: unknown, context: ExecutionContext) => T) {
  return createParamDecorator(Object.assign(factory, { [MARK]: true }));
}

/** Returns true if the factory of a parameter decorator is from `createBodylessParameter`. */
export function isBodyless(factory: unknown): boolean {
  return typeof factory === 'function' && Object.hasOwn(factory, MARK);
}
