import type { INestApplication } from '@nestjs/common';
import { METHOD_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RequestMethod } from '@nestjs/common/enums/request-method.enum.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { ApiHeader } from '@nestjs/swagger';
import {
  ACCESS,
  ApiErrors,
  BODY_BYTES,
  IdempotencyKeyReused,
  MalformedJson,
  PayloadTooLarge,
  SECRET_RESPONSE,
  UnsupportedMediaType,
  ValidationFailed,
  type Access,
} from '@passwright/core';

/** The key under which @nestjs/swagger stores a handler's parameters. */
const PARAMETERS = 'swagger/apiParameters';
const IDEMPOTENCY_KEY = 'Idempotency-Key';
const writes = [RequestMethod.POST, RequestMethod.PUT, RequestMethod.PATCH, RequestMethod.DELETE];

/**
 * Declares the effects of `HttpModule` on every route: errors for invalid JSON bodies, and `Idempotency-Key` for
 * writes. Call it before the document is created. Repeated calls change nothing.
 */
export function documentConventions(app: INestApplication): void {
  const scanner = new MetadataScanner();
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
  for (const { metatype, instance } of controllers) {
    const prototype = Object.getPrototypeOf(instance) as object;
    for (const name of scanner.getAllMethodNames(prototype)) {
      const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
      if (descriptor) documentRoute(prototype, name, descriptor, parametersOf(metatype as object, name));
    }
  }
}

function documentRoute(prototype: object, name: string, descriptor: PropertyDescriptor, kinds: Set<RouteParamtypes>) {
  const handler = descriptor.value as object;
  // Every route rejects an unreadable path or query.
  ApiErrors(ValidationFailed)(prototype, name, descriptor);
  if (kinds.has(RouteParamtypes.BODY) || readsJson(handler)) {
    // A route rejects an oversized body or another media type even if it needs no body.
    ApiErrors(PayloadTooLarge, UnsupportedMediaType)(prototype, name, descriptor);
    if (!takesFiles(kinds)) ApiErrors(MalformedJson)(prototype, name, descriptor);
  }
  if (!isIdempotent(handler, kinds)) return;
  // A request without content cannot differ from an earlier one.
  const hasContent = kinds.has(RouteParamtypes.BODY) || kinds.has(RouteParamtypes.QUERY);
  if (hasContent) ApiErrors(IdempotencyKeyReused)(prototype, name, descriptor);
  const parameters = (Reflect.getMetadata(PARAMETERS, handler) ?? []) as { name?: string }[];
  if (!parameters.some((parameter) => parameter.name === IDEMPOTENCY_KEY)) idempotencyKey(prototype, name, descriptor);
}

const idempotencyKey = ApiHeader({
  name: IDEMPOTENCY_KEY,
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  description:
    'A key of 1 to 255 visible ASCII characters that you generate. Repeating the request with ' +
    'it within 24 hours returns the first response again, and changes nothing.',
});

/** Returns true if a route reads JSON: every write does, except for forms and raw bytes. */
function readsJson(handler: object): boolean {
  return isWrite(handler) && Reflect.getMetadata(BODY_BYTES, handler) === undefined;
}

function isWrite(handler: object): boolean {
  return writes.includes(Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod);
}

/**
 * Returns true if a route accepts an idempotency key: writes with a caller, except for uploads, secrets and streamed
 * responses.
 */
function isIdempotent(handler: object, kinds: Set<RouteParamtypes>): boolean {
  const access = Reflect.getMetadata(ACCESS, handler) as Access | undefined;
  return (
    isWrite(handler) &&
    access?.kind !== 'public' &&
    Reflect.getMetadata(SECRET_RESPONSE, handler) !== true &&
    !takesFiles(kinds) &&
    !kinds.has(RouteParamtypes.RESPONSE)
  );
}

function takesFiles(kinds: Set<RouteParamtypes>): boolean {
  return kinds.has(RouteParamtypes.FILE) || kinds.has(RouteParamtypes.FILES);
}

function parametersOf(controller: object, name: string): Set<RouteParamtypes> {
  const metadata: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name);
  return new Set(Object.keys(metadata ?? {}).map((key) => Number(key.split(':', 1)[0])));
}
