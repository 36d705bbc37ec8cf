import type { INestApplication } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { RequestMethod } from '@nestjs/common/enums/request-method.enum.js';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { BODY_BYTES } from '@passwright/core';
import { raw, type RequestHandler } from 'express';
import { bodyRefusal } from './body-refusal.js';
import { hasBody } from './media-type.js';

interface ByteRoute {
  readonly method: string;
  readonly path: RegExp;
  readonly maxBytes: number;
  readonly read: RequestHandler;
}

/** Reads the bodies of routes with `@TakesBytes`, before any other middleware would read them as JSON. */
export function readByteBodies(app: INestApplication): RequestHandler {
  const routes = byteRoutes(app);
  return (request, response, next) => {
    const route = routes.find(({ method, path }) => method === request.method && path.test(request.path));
    if (!route) return next();
    if (!hasBody(request)) {
      request.body = Buffer.alloc(0);
      return next();
    }
    const done = (error?: unknown) => next(error && bodyRefusal(error, route.maxBytes));
    void route.read(request, response, done);
  };
}

function byteRoutes(app: INestApplication): ByteRoute[] {
  const scanner = new MetadataScanner();
  const controllers = app.get(DiscoveryService, { strict: false }).getControllers();
  return controllers.flatMap(({ instance, metatype }) => {
    const prefix = Reflect.getMetadata(PATH_METADATA, metatype as object) as string;
    const prototype = Object.getPrototypeOf(instance) as Record<string, object>;
    return scanner.getAllMethodNames(prototype).flatMap((name) => {
      const handler = prototype[name] as object;
      const maxBytes = Reflect.getMetadata(BODY_BYTES, handler) as number | undefined;
      if (maxBytes === undefined) return [];
      const path = pathPattern(prefix, Reflect.getMetadata(PATH_METADATA, handler) as string);
      const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as number] as string;
      return [{ method, path, maxBytes, read: raw({ limit: maxBytes, type: () => true }) }];
    });
  });
}

/** As the router matches: without regard to case, and with or without a slash at the end. */
function pathPattern(...parts: string[]): RegExp {
  const segments = parts.flatMap((part) => part.split('/')).filter(Boolean);
  return new RegExp(`^/${segments.map((segment) => (segment.startsWith(':') ? '[^/]+' : segment)).join('/')}/?$`, 'i');
}
