import type { ExecutionContext } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { propertyPath, ValidationFailed } from '@passwright/core';
import { parameterKinds } from './parameter-kinds.js';

const mostNamed = 20;

/**
 * Rejects a JSON body with content if the handler takes neither a body nor the request, and so would ignore it. Accepts
 * `{}`, which many clients send with every request.
 * @throws ValidationFailed
 */
export function requireNotIgnored(context: ExecutionContext, body: object): void {
  const names = Object.keys(body).slice(0, mostNamed);
  if ((names.length === 0 && !Array.isArray(body)) || isTaken(context)) return;
  if (Array.isArray(body)) throw new ValidationFailed('the body must be a JSON object');
  throw new ValidationFailed(names.map((name) => `${propertyPath('', name)} is not known here`));
}

function isTaken(context: ExecutionContext): boolean {
  const kinds = parameterKinds(context);
  return kinds.has(RouteParamtypes.BODY) || kinds.has(RouteParamtypes.REQUEST);
}
