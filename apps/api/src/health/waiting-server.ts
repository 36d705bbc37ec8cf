import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { errorBody, NotReady } from '@passwright/core';
import { requestId, securityHeaders } from '@passwright/http';
import { prefersPage } from '@passwright/passes';
import type { Request, RequestHandler, Response } from 'express';
import { errorHtml } from '../pages/error-html.js';
import { errorHelpUrl, rootOf } from '../pages/page.js';

const unready = new NotReady('This node waits for its database, or for its migrations; see the logs.');

/** The address that the server listens on, and the public address of the service. */
interface WaitingServerOptions {
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string;
}

/** Serves the port while the service cannot start. Reports that the process is alive but not ready. */
export class WaitingServer {
  private opened: Promise<Server> | null = null;
  private readonly secure: RequestHandler;

  constructor(private readonly options: WaitingServerOptions) {
    this.secure = securityHeaders(options.baseUrl);
  }

  /** Starts listening, unless it already listens. @throws like `listen` of node:http */
  async open(): Promise<void> {
    this.opened ??= this.listen();
    await this.opened;
  }

  /** Frees the port, so that clients that connect again reach the service. */
  async close(): Promise<void> {
    const server = await this.opened?.catch(() => null);
    this.opened = null;
    if (!server) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  private async listen(): Promise<Server> {
    const { host, port } = this.options;
    const server = createServer((request, response) => this.reply(request, response)).listen(port, host);
    await once(server, 'listening');
    return server;
  }

  private reply(request: IncomingMessage, response: ServerResponse): void {
    requestId(request, response);
    const parsed = withAddress(request);
    // The cast is safe, because the handler reads only the path of the request.
    void this.secure(parsed as Request, response as Response, () => undefined);
    const isLive = parsed.path === '/health/live';
    const body = isLive ? json({ status: 'ok' }, response) : this.rejection(parsed, response);
    response.writeHead(isLive ? 200 : unready.statusCode, {
      'Cache-Control': 'no-store',
      // Allow only one request per connection, so that the client's next request reaches the service.
      Connection: 'close',
      ...(!isLive && unready.headers),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  private rejection(request: AddressedRequest, response: ServerResponse): string {
    response.setHeader('Vary', 'Accept');
    const { baseUrl } = this.options;
    if (!prefersPage(request)) return json(errorBody(unready, errorHelpUrl(baseUrl)), response);
    return errorHtml(unready, request, response, rootOf(baseUrl));
  }
}

type AddressedRequest = Parameters<typeof errorHtml>[1];

/** Adds the path and the query to a request, as Express would. */
function withAddress(request: IncomingMessage): AddressedRequest {
  const [path = '', query] = request.url?.split('?', 2) ?? [];
  return Object.assign(request, { path, query: Object.fromEntries(new URLSearchParams(query)) });
}

function json(body: object, response: ServerResponse): string {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  return JSON.stringify(body);
}
