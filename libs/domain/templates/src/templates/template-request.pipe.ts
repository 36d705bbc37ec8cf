import { Injectable, type PipeTransform } from '@nestjs/common';
import { bodyValidation, ValidationFailed } from '@passwright/core';
import { templateProblems } from '@passwright/wallet-renderers';
import { getMetadataStorage } from 'class-validator';
import { contentOf, imageUrlsOf } from './template-content.js';
import { templateRequests, type TemplateRequest } from './template.dto.js';

type TemplateType = keyof typeof templateRequests;

/**
 * Validates a request body as a template of the type in its property `type` (default: `offer`). Rejects unknown
 * properties, properties of other types, and content in which the template lint finds errors. @throws ValidationFailed
 */
@Injectable()
export class TemplateRequestPipe implements PipeTransform<unknown, Promise<TemplateRequest>> {
  async transform(body: unknown): Promise<TemplateRequest> {
    const request = await inForm(body);
    const images = Object.fromEntries(Object.keys(imageUrlsOf(request)).map((purpose) => [purpose, null]));
    const problems = templateProblems({ ...contentOf(request, {}), archivedAt: null }, images);
    if (problems.length > 0) throw new ValidationFailed(problems);
    return request;
  }
}

/**
 * Reads a body according to its `type`, and checks each property by itself, without the template lint. @throws
 * ValidationFailed
 */
export async function inForm(body: unknown): Promise<TemplateRequest> {
  const metatype = templateRequests[typeOf(body)];
  try {
    return (await bodyValidation.transform(body, { type: 'body', metatype })) as TemplateRequest;
  } catch (error) {
    throw error instanceof ValidationFailed ? new ValidationFailed(error.problems.map(withOtherTypes)) : error;
  }
}

const alternatives = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** Adds to an error message the types of templates that have the rejected property. */
function withOtherTypes(problem: string): string {
  const [, name] = /^(\w+) is not known here$/.exec(problem) ?? [];
  const types = Object.keys(templateRequests).filter((type) => propertiesOf(type as TemplateType).has(name ?? ''));
  return types.length === 0 ? problem : `${problem}: only templates of type ${alternatives.format(types)} have it`;
}

function propertiesOf(type: TemplateType): Set<string> {
  const rules = getMetadataStorage().getTargetValidationMetadatas(templateRequests[type], '', true, false);
  return new Set(rules.map(({ propertyName }) => propertyName));
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
