import { RequestMethod, type NestInterceptor, type Type } from '@nestjs/common';
import { INTERCEPTORS_METADATA, METHOD_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ACCESS, type Access } from '@passwright/core';
import type { Request } from 'express';
import { IdempotencyInterceptor, isExemptFromKeys } from './idempotency/idempotency.interceptor.js';
import { BodyInterceptor } from './request/body.interceptor.js';

const readsBody = ofApp(BodyInterceptor);
const takesKeys = ofApp(IdempotencyInterceptor);
const reads = new Set<RequestMethod | undefined>([undefined, RequestMethod.GET, RequestMethod.HEAD]);

/**
 * Makes the write routes of an app read their bodies and honour `Idempotency-Key`. This chooses the interceptors of each
 * route once and leaves the reads without any, because Nest wraps what an intercepted handler returns in observables,
 * which costs about as much as the rest of a small request.
 */
export function interceptWrites(app: NestExpressApplication): void {
  for (const type of [BodyInterceptor, IdempotencyInterceptor]) app.set(type.name, app.get(type));
  const scanner = new MetadataScanner();
  for (const { metatype } of app.get(DiscoveryService).getControllers()) {
    const prototype = (metatype as Type | null)?.prototype as Record<string, object> | undefined;
    if (!metatype || !prototype) continue;
    for (const name of scanner.getAllMethodNames(prototype)) interceptWrite(metatype as Type, prototype[name] ?? {});
  }
}

function interceptWrite(controller: Type, handler: object): void {
  if (reads.has(Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined)) return;
  const own = (Reflect.getMetadata(INTERCEPTORS_METADATA, handler) ?? []) as unknown[];
  // Another app of this process shares the controller and has already done this.
  if (own.includes(readsBody)) return;
  const isPublic = (Reflect.getMetadata(ACCESS, handler) as Access | undefined)?.kind === 'public';
  // The order is from outside to inside: the body must be read before the key is checked. Interceptors of the
  // controller are outside of both, so they must not write to the database.
  const chosen = isPublic || isExemptFromKeys(controller, handler) ? [readsBody] : [readsBody, takesKeys];
  Reflect.defineMetadata(INTERCEPTORS_METADATA, [...chosen, ...own], handler);
}

/** Returns an interceptor that any app can share: it runs the interceptor of the app that has received the request. */
function ofApp(type: Type<NestInterceptor>): NestInterceptor {
  return {
    intercept: (context, next) => {
      const { app } = context.switchToHttp().getRequest<Request>();
      const interceptor = app.get(type.name) as NestInterceptor | undefined;
      return interceptor ? interceptor.intercept(context, next) : next.handle();
    },
  };
}
