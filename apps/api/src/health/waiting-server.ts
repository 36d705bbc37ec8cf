import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { errorBody, NotReady } from '@passwright/core';
import { requestId } from '@passwright/http';
import { pageHeaders } from '../pages/page.js';
import { prefersPage } from '../pages/prefers-page.js';
import { refusalPage } from '../pages/refusal-page.js';

const unready = new NotReady('This node waits for its database, or for its migrations; see the logs.');

/** Serves the port while the service cannot start: it reports that the process is alive but not ready. */
export class WaitingServer {
  private opened: Promise<Server> | null = null;

  constructor(
    private readonly host: string,
    private readonly port: number,
  ) {}

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
    const server = createServer(reply).listen(this.port, this.host);
    await once(server, 'listening');
    return server;
  }
}

function reply(request: IncomingMessage, response: ServerResponse): void {
  const id = requestId(request, response);
  const isLive = /^\/health\/live(\?|$)/.test(request.url ?? '');
  const { headers, body } = isLive ? json({ status: 'ok' }) : rejection(request, id);
  response.writeHead(isLive ? 200 : unready.statusCode, {
    'Cache-Control': 'no-store',
    // Allow only one request per connection, because the next one may reach the service.
    Connection: 'close',
    ...(!isLive && unready.headers),
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

interface Reply {
  readonly headers: Record<string, string>;
  readonly body: string;
}

function rejection(request: IncomingMessage, id: string): Reply {
  if (!prefersPage(request)) return json(errorBody(unready));
  const page = refusalPage(unready, id, '');
  return { headers: pageHeaders(page), body: page.html };
}

function json(body: object): Reply {
  return { headers: { 'Content-Type': 'application/json; charset=utf-8' }, body: JSON.stringify(body) };
}
