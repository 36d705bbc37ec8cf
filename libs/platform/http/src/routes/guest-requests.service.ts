import { Injectable, Logger, type ExecutionContext, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, HttpAdapterHost, MetadataScanner } from '@nestjs/core';
import { isPasswrightRoute, requestOrigin, RouteNotFound } from '@passwright/core';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { HttpOptions } from '../http.options.js';
import { limitBodyTime } from '../request/body-timeout.js';
import { assignId, chosenId } from '../request/request-id.js';
import { enterRequest } from '../request/request-origin.js';
import { rejectMalformedTargets } from '../request/request-target.js';
import { securityHeaders } from '../request/security-headers.js';
import { routePaths, shadowedRoutes } from '../request/route-table.js';
import { sendTaggedResponses } from '../response/tagged-responses.js';

/** The app's HTTP platform cannot serve Passwright's routes. */
export class ExpressRequired extends Error {
  constructor(platform: string) {
    super(
      `Passwright's routes run on Express (@nestjs/platform-express), and this app runs on ${platform}. On ${platform}, ` +
        'leave out HttpModule and set `routes: false` for the other modules: their services work, and routes of your own ' +
        'can serve what they return.',
    );
    this.name = 'ExpressRequired';
  }
}

/** The number of characters of a target that are compared with our paths, so that the app's own routes stay fast. */
const LOOKED_AT = 256;

/**
 * The error message if the request has no origin. Either only Express accepts the form of the target, or a middleware
 * of the app has lost the async context.
 */
const NO_ORIGIN =
  'There is no route with this target; send a path that begins with the prefix of the app. If it does, a middleware of ' +
  'the app loses the AsyncLocalStorage context of its requests.';

const ignore = () => undefined;

/**
 * Adds request ids, security headers and time limits for bodies to Passwright's routes, and rejects malformed targets,
 * in an app that does not call `applyHttpConventions`. The app's own routes do not change.
 */
@Injectable()
export class GuestRequestsService {
  private readonly logger = new Logger('Http');
  private readonly setHeaders: RequestHandler;
  private isGuest = true;

  constructor(
    private readonly options: HttpOptions,
    private readonly discovery: DiscoveryService,
    private readonly adapterHost: HttpAdapterHost,
  ) {
    this.setHeaders = securityHeaders(options.baseUrl);
  }

  /** Disables this service, because the app calls `applyHttpConventions`. */
  leaveToApp(): void {
    this.isGuest = false;
  }

  /** Prepares the app before its routes are registered. @throws ExpressRequired */
  prepare(): void {
    const adapter = this.adapterHost.httpAdapter;
    if (adapter.getType() !== 'express') throw new ExpressRequired(adapter.getType());
    sendTaggedResponses(adapter);
    if (!this.isGuest) return;
    const ours = pathsBelow(this.ownPaths());
    // This middleware only records which request the work belongs to. The guard of the route does the rest.
    adapter.use((request: Request, response: Response, next: NextFunction) => {
      // Remove scheme and host, because a client may send a whole address as its target.
      const path = request.url.replace(/^[a-z]{1,10}:\/\/[^/]{0,300}/i, '');
      if (ours.test(path.slice(0, LOOKED_AT))) enterRequest(request, response, chosenId(request), next);
      else next();
    });
  }

  /** Warns about settings and other routes of the app that affect Passwright's routes. */
  check(): void {
    // A context without HTTP has no adapter, or one that serves nothing.
    const adapter = this.adapterHost.httpAdapter as HttpAdapterHost['httpAdapter'] | undefined;
    if (!this.isGuest || adapter?.getType() !== 'express') return;
    this.checkLinks(adapter.getInstance());
    this.checkPaths(adapter.getInstance());
  }

  /** Warns if `baseUrl` lacks the app's global prefix, because links would not reach the routes. */
  private checkLinks(app: unknown): void {
    const { baseUrl } = this.options;
    if (baseUrl.endsWith('/')) {
      this.logger.warn(`baseUrl is ${baseUrl}: leave out the slash at its end, because links append their path to it.`);
    }
    // Use a path without wildcards, because Express stores such a path as it was declared.
    const path = this.ownPaths().find((each) => /^[\w/:-]+$/.test(each));
    if (path === undefined) return;
    const served = routePaths(app).find((each) => each.endsWith(path));
    const prefix = served?.slice(0, -path.length) ?? '';
    if (prefix === '' || new URL(baseUrl).pathname.replace(/\/$/, '').endsWith(prefix)) return;
    this.logger.warn(
      `The routes of this app begin with ${prefix}, but baseUrl is ${baseUrl}: links in passes and mails lead to ` +
        `${baseUrl}${path}. Set the modules' baseUrl to ${baseUrl}${prefix}, unless a proxy in front of the app adds it.`,
    );
  }

  /**
   * Warns if the app has a route with the same path as one of Passwright's, because only the first route gets requests.
   */
  private checkPaths(app: unknown): void {
    const own = this.ownPaths();
    const isOwn = (path: string) => own.some((each) => path.endsWith(each));
    // Passwright's paths differ from each other, so a second route with the same path belongs to the app.
    const shadowed = shadowedRoutes(app, (path, by) => isOwn(path) !== isOwn(by) || (path === by && isOwn(path)));
    for (const { method, path, by } of shadowed) {
      this.logger.warn(
        `No request reaches the route ${method} ${path}, because ${method} ${by} is registered before it, and one of ` +
          "them is Passwright's. Give the app's route another path, or set `routes: false` for the module.",
      );
    }
  }

  /**
   * Begins a request to one of Passwright's routes. Rejects a request without an origin, because the audit trail could
   * not name the caller.
   * @throws RouteNotFound.
   * @throws ValidationFailed
   */
  canActivate(context: ExecutionContext): boolean {
    if (!this.isGuest) return true;
    const origin = requestOrigin();
    if (!origin) throw new RouteNotFound(NO_ORIGIN);
    const request = context.switchToHttp().getRequest<Request & { id?: unknown }>();
    const response = context.switchToHttp().getResponse<Response>();
    if (typeof request.id !== 'string') assignId(request, response, origin.requestId);
    void this.setHeaders(request, response, ignore);
    if (!request.complete) limitBodyTime(request, response, ignore);
    rejectMalformedTargets(request, response, ignore);
    return true;
  }

  /** Returns the paths of Passwright's routes without the app's prefix, as the controllers declare them. */
  private ownPaths(): string[] {
    const scanner = new MetadataScanner();
    return this.discovery.getControllers().flatMap(({ metatype }) => {
      const controller = metatype as Type | null;
      if (!controller || !isPasswrightRoute(controller)) return [];
      const prototype = controller.prototype as Record<string, object>;
      return scanner
        .getAllMethodNames(prototype)
        .map((name) => prototype[name] ?? {})
        .filter((handler) => Reflect.hasMetadata(METHOD_METADATA, handler))
        .flatMap((handler) => joined(pathsOf(controller), pathsOf(handler)));
    });
  }
}

function pathsOf(target: object): string[] {
  const path = (Reflect.getMetadata(PATH_METADATA, target) ?? '') as string | string[];
  return [path].flat();
}

function joined(parents: readonly string[], children: readonly string[]): string[] {
  return parents.flatMap((parent) =>
    children.map(
      (child) =>
        `/${[parent, child]
          .flatMap((path) => path.split('/'))
          .filter(Boolean)
          .join('/')}`,
    ),
  );
}

/** Returns a path up to its first parameter. */
function fixedPart(path: string): string {
  const segments = path.split('/');
  const end = segments.findIndex((segment) => /[:*{]/.test(segment));
  return (end < 0 ? segments : segments.slice(0, end)).join('/');
}

/** Matches targets that contain one of these paths, after any prefix. Compares each path up to its first parameter. */
function pathsBelow(paths: readonly string[]): RegExp {
  const fixed = paths.map(fixedPart).filter((path) => path !== '');
  const escaped = [...new Set(fixed)].map((path) => path.replace(/[^\w/]/g, '\\$&'));
  return new RegExp(`^[^?]*(?:${escaped.join('|') || '(?!)'})(?:[/?]|$)`, 'i');
}
