import type { Server } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { limitConnections } from './connections/connections-per-address.js';
import { endSlowReaders } from './connections/slow-readers.js';
import { compareTagsOnly } from './response/freshness.js';
import { rejectMalformedHttp } from './errors/malformed-http.js';
import { FairShareGuard } from './fair-share/fair-share.guard.js';
import { HttpOptions } from './http.options.js';
import { limitBodyTime } from './request/body-time.js';
import { crossOrigin } from './request/cross-origin.js';
import { identifyRequests } from './request/request-id.js';
import { rememberOrigin } from './request/request-origin.js';
import { joinSlashes, rejectMalformedTargets } from './request/request-target.js';
import { sendOptions } from './request/route-table.js';
import { securityHeaders } from './request/security-headers.js';
import { sendTaggedReplies } from './response/tagged-replies.js';
import { interceptWrites } from './write-routes.js';

const SECOND_MS = 1000;

/**
 * Sets up everything that runs before Nest's routing: request ids, security headers, time limits for bodies, rejection
 * of invalid texts, and responses to malformed HTTP. Also chooses the interceptors of each route, which read bodies after
 * the guards, and sends entity tags. Call this before `init` and `listen`, on an app that was created with
 * `bodyParser: false` and whose module imports `HttpModule`.
 */
export function applyHttpConventions(app: NestExpressApplication): void {
  const { baseUrl, trustProxy, allowedOrigins = [], connectionsPerAddress = 0 } = app.get(HttpOptions);
  app.disable('x-powered-by');
  // Entity tags come from versions; Express would hash each response.
  app.disable('etag');
  compareTagsOnly(app.getHttpAdapter().getInstance());
  app.set('trust proxy', trustProxy);
  app.set('query parser', 'simple');
  const shares = app.get(FairShareGuard);
  app.use(identifyRequests, shares.takeTurn.bind(shares), securityHeaders(baseUrl));
  if (allowedOrigins.length > 0) app.enableCors(crossOrigin(allowedOrigins));
  app.use(limitBodyTime, rejectMalformedTargets, joinSlashes, sendOptions, rememberOrigin);
  interceptWrites(app);
  sendTaggedReplies(app);
  const server: Server = app.getHttpServer();
  setUpServer(server);
  endSlowReaders(server);
  // Behind a proxy, all connections have the proxy's address.
  if (connectionsPerAddress > 0 && trustProxy === 0) limitConnections(server, connectionsPerAddress);
}

function setUpServer(server: Server): void {
  rejectMalformedHttp(server);
  // Longer than load balancers keep idle connections (60 s), so that the server never closes a connection that a
  // balancer is about to use.
  server.keepAliveTimeout = 65 * SECOND_MS;
  server.headersTimeout = 15 * SECOND_MS;
  // Bodies have their own limit (`limitBodyTime`), because line-by-line routes may take any time.
  server.requestTimeout = 0;
}
