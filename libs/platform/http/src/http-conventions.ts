import type { Server } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { RouteConventions } from '@passwright/core';
import { limitConnections } from './connections/connections-per-address.js';
import { endSlowReaders } from './connections/slow-readers.js';
import { compareTagsOnly } from './response/if-none-match.js';
import { rejectMalformedHttp } from './errors/malformed-http.js';
import { FairShareGuard } from './fair-share/fair-share.guard.js';
import { HttpOptions } from './http.options.js';
import { ConnectionDrainService } from './request/connection-drain.service.js';
import { limitBodyTime } from './request/body-timeout.js';
import { crossOrigin } from './request/cors.js';
import { useOriginForm } from './request/origin-form.js';
import { identifyRequests } from './request/request-id.js';
import { rememberOrigin } from './request/request-origin.js';
import { joinSlashes, rejectMalformedTargets } from './request/request-target.js';
import { sendOptions } from './request/route-table.js';
import { securityHeaders } from './request/security-headers.js';
import { GuestRequestsService } from './routes/guest-requests.service.js';

const SECOND_MS = 1000;

/**
 * Makes a whole app follow the conventions, as the service itself does: request ids, security headers, time limits for
 * bodies, rejection of invalid texts, responses to malformed HTTP and to unknown routes, limits of connections, and a
 * stop that drains them. This changes every route of the app. Call it before `init` and `listen`, on an app that was
 * created with `bodyParser: false` and whose module imports `HttpModule`.
 */
export function applyHttpConventions(app: NestExpressApplication): void {
  const { baseUrl, trustProxy, allowedOrigins = [], connectionsPerAddress = 0, errorHelpUrl } = app.get(HttpOptions);
  app.disable('x-powered-by');
  // Turn off Express's entity tags, which hash each response. Passwright makes its own entity tags from version
  // numbers.
  app.disable('etag');
  compareTagsOnly(app.getHttpAdapter().getInstance());
  app.set('trust proxy', trustProxy);
  app.set('query parser', 'simple');
  const shares = app.get(FairShareGuard);
  app.use(identifyRequests, shares.takeTurn.bind(shares), securityHeaders(baseUrl));
  if (allowedOrigins.length > 0) app.enableCors(crossOrigin(allowedOrigins));
  app.use(limitBodyTime, rejectMalformedTargets, joinSlashes, sendOptions, rememberOrigin);
  // Passwright's routes have their own filter. This filter writes the errors of everything that runs before a route.
  app.useGlobalFilters(app.get(RouteConventions).filter);
  app.get(GuestRequestsService).leaveToApp();
  app.get(ConnectionDrainService).enable();
  const server: Server = app.getHttpServer();
  setUpServer(server, errorHelpUrl);
  endSlowReaders(server);
  // Do not limit connections behind a proxy, because all of them come from the proxy's address.
  if (connectionsPerAddress > 0 && trustProxy === 0) limitConnections(server, connectionsPerAddress);
}

function setUpServer(server: Server, helpUrl: string | undefined): void {
  rejectMalformedHttp(server, helpUrl);
  useOriginForm(server);
  // Keep idle connections longer than load balancers do (60 s), because a balancer may be about to use one of them.
  server.keepAliveTimeout = 65 * SECOND_MS;
  server.headersTimeout = 15 * SECOND_MS;
  // Set no time limit for whole requests, because line-by-line routes may take any time. `limitBodyTime` limits bodies.
  server.requestTimeout = 0;
}
