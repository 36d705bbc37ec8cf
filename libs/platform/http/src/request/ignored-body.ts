import type { ExecutionContext } from '@nestjs/common';
import { propertyPath, ValidationFailed } from '@passwright/core';
import { handlerParameters } from './handler-parameters.js';

const mostNamed = 20;

/**
 * Rejects a JSON body with content if no parameter of the handler can take it, so that the handler would ignore it.
 * Accepts `{}`, which many clients send with every request.
 * @throws ValidationFailed
 */
export function requireNotIgnored(context: ExecutionContext, body: object): void {
  const names = Object.keys(body).slice(0, mostNamed);
  if ((names.length === 0 && !Array.isArray(body)) || handlerParameters(context).mayTakeBody) return;
  if (Array.isArray(body)) throw new ValidationFailed('the body must be a JSON object');
  throw new ValidationFailed(names.map((name) => `${propertyPath('', name)} is not known here`));
}
