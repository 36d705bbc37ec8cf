import { ValidationPipe, type ArgumentMetadata } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import type { ValidationError } from 'class-validator';
import { ValidationFailed } from '../errors/wire-errors.js';
import { propertyPath } from './property-path.js';
import { isValid } from './fast-validation.js';

const MAX_SENTENCES = 20;
const MAX_SENTENCE_LENGTH = 300;

/**
 * Rules about the type of a value. If one of them fails, the value's other rules fail too, so their errors are left
 * out.
 */
const typeRules = ['isString', 'isNumber', 'isInt', 'isBoolean', 'isArray', 'isObject', 'objects'];

class RequestValidation extends ValidationPipe {
  constructor() {
    super({
      whitelist: true,
      forbidNonWhitelisted: true,
      transform: true,
      stopAtFirstError: false,
      // The messages depend on the values but never contain them.
      validationError: { target: false, value: true },
      exceptionFactory: (errors) => new ValidationFailed(sentences(errors)),
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (metadata.type === 'body' && this.toValidate(metadata) && value !== undefined && !isRecord) {
      throw new ValidationFailed('the body must be a JSON object');
    }
    if (metadata.type === 'body' && metadata.metatype && this.toValidate(metadata) && isRecord) {
      this.stripProtoKeys(value);
      const instance: unknown = plainToInstance(metadata.metatype, value, this.transformOptions);
      if (instance instanceof metadata.metatype && isValid(instance as object)) return instance;
    }
    return super.transform(value, metadata);
  }
}

/**
 * Validates bodies and queries against their DTO classes. It rejects unknown properties. It describes every error in a
 * sentence with the full path of the property, such as `fields[2].key must be a string`, and joins the sentences with
 * `; `. `WireConventions` binds it to routes. A pipe that chooses the class itself calls
 * `bodyValidation.transform(value, { type: 'body', metatype })`, because Nest validates nothing for type `custom`.
 */
export const bodyValidation: ValidationPipe = new RequestValidation();

/**
 * Returns the messages in the order of the class's properties, unknown properties first. If there are more messages
 * than the limit, a last entry counts the others.
 */
function sentences(errors: readonly ValidationError[]): string[] {
  const all = errors.flatMap((error) => problems(error, '', false));
  const shown = all.slice(0, MAX_SENTENCES);
  return all.length > shown.length ? [...shown, `and ${all.length - shown.length} more`] : shown;
}

function problems(error: ValidationError, parent: string, inList: boolean): string[] {
  const { property, constraints = {}, children = [] } = error;
  const value: unknown = error.value;
  const path = propertyPath(parent, inList ? Number(property) : property);
  const own = ownProblems(constraints, value).map((message) => sentence(message, property, path, parent));
  // class-validator also checks the properties of an object in place of a list. Leave out those errors.
  if ('isArray' in constraints) return own;
  return [...own, ...children.flatMap((child) => problems(child, path, Array.isArray(value)))];
}

function ownProblems(constraints: Record<string, string>, value: unknown): string[] {
  if ('whitelistValidation' in constraints) return ['$property is not known here'];
  const all = Object.values(constraints);
  if (all.length > 1 && (value === undefined || value === null)) return ['$property is required'];
  // An empty text breaks most rules of a text. Its length explains them all.
  if (value === '' && constraints.isLength !== undefined) return [constraints.isLength];
  const wrongType = typeRules.find((rule) => rule in constraints);
  return wrongType === undefined ? all : all.filter((message) => message === constraints[wrongType]);
}

/** Replaces the property name in class-validator's message with the full path. */
function sentence(message: string, property: string, path: string, parent: string): string {
  const [, before, name] = /^((?:nested property |each value in )?)(\S+)/.exec(message) ?? [];
  const named = name === property || name === '$property';
  const full = named
    ? `${before}${path}${message.slice((before + name).length)}`
    : parent === ''
      ? message
      : `${path}: ${message}`;
  return full.length <= MAX_SENTENCE_LENGTH ? full : `${full.slice(0, MAX_SENTENCE_LENGTH)}…`;
}
