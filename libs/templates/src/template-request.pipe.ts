import { Injectable, type PipeTransform, ValidationPipe } from '@nestjs/common';
import { ValidationFailed } from '@passwright/core';
import { fieldProblems } from '@passwright/wallet-renderers';
import type { ValidationError } from 'class-validator';
import { templateRequests, type TemplateRequest } from './template.dto.js';

type TemplateType = keyof typeof templateRequests;

/**
 * Reads a body as the one variant that its `type` names, `offer` when it has none. Properties of another variant are
 * refused like unknown ones. @throws ValidationFailed
 */
@Injectable()
export class TemplateRequestPipe implements PipeTransform<unknown, Promise<TemplateRequest>> {
  async transform(body: unknown): Promise<TemplateRequest> {
    const type = typeOf(body);
    // Nest validates nothing, and says nothing, for an argument of another kind than `body`.
    const request = (await validators[type].transform(body, {
      type: 'body',
      metatype: templateRequests[type],
    })) as TemplateRequest;
    const problems = fieldProblems({ fields: request.fields ?? [], backFields: request.backFields ?? [] });
    if (problems.length > 0) throw new ValidationFailed(problems);
    return request;
  }
}

function typeOf(body: unknown): TemplateType {
  if (!isPlainObject(body)) throw new ValidationFailed('the body must be a JSON object, sent as application/json');
  const type = Object.hasOwn(body, 'type') ? (body.type ?? 'offer') : 'offer';
  if (typeof type !== 'string' || !Object.hasOwn(templateRequests, type)) {
    throw new ValidationFailed(`type must be one of ${Object.keys(templateRequests).join(', ')}`);
  }
  return type as TemplateType;
}

function isPlainObject(body: unknown): body is Record<string, unknown> {
  if (typeof body !== 'object' || body === null) return false;
  const prototype: unknown = Object.getPrototypeOf(body);
  return prototype === Object.prototype || prototype === null;
}

const validators = Object.fromEntries(
  Object.keys(templateRequests).map((type) => [
    type,
    new ValidationPipe({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      exceptionFactory: (errors) => new ValidationFailed(errors.flatMap((error) => problems(error, type))),
    }),
  ]),
) as Record<TemplateType, ValidationPipe>;

function problems({ property, constraints = {}, children = [] }: ValidationError, type: string, parent = ''): string[] {
  const path = /^\d+$/.test(property) ? `${parent}[${property}]` : parent ? `${parent}.${property}` : property;
  const own = Object.entries(constraints).map(([rule, message]) => {
    if (rule !== 'whitelistValidation')
      return `${path}${message.slice(message.startsWith(property) ? property.length : 0)}`;
    return parent ? `${path} is not a known property` : `${path} is not a property of a template of type ${type}`;
  });
  return [...own, ...children.flatMap((child) => problems(child, type, path))];
}
