import type { ExecutionContext } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ACCESS, propertyPath, ValidationFailed, type Access } from '@passwright/core';
import type { Request } from 'express';
import { handlerParameters } from '../request/handler-parameters.js';

const mostNamed = 20;

/**
 * Rejects query parameters that no parameter of the handler takes, so that the handler would ignore them. Accepts
 * any query on public routes without a `@Body()`: phones, browsers, probes and other services call these, often through
 * links that trackers have extended.
 * @throws ValidationFailed
 */
export const ignoredQueries = {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    // Most requests have no query, and Express parses it at each access.
    if (!request.url.includes('?') || mayIgnoreQuery(context)) return true;
    const names = Object.keys(request.query).slice(0, mostNamed);
    if (names.length === 0) return true;
    throw new ValidationFailed(names.map((name) => `${propertyPath('', name)} is not known here`));
  },
};

function mayIgnoreQuery(context: ExecutionContext): boolean {
  const { kinds, mayTakeQuery } = handlerParameters(context);
  if (mayTakeQuery) return true;
  const access = Reflect.getMetadata(ACCESS, context.getHandler()) as Access | undefined;
  return access?.kind === 'public' && !kinds.has(RouteParamtypes.BODY);
}
