import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { errorBody, NotReady } from '@passwright/core';

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
  const isLive = /^\/health\/live(\?|$)/.test(request.url ?? '');
  const body = isLive ? { status: 'ok' } : errorBody(unready);
  response.writeHead(isLive ? 200 : unready.statusCode, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    // Allow only one request per connection, because the next one may reach the service.
    Connection: 'close',
    ...(!isLive && unready.headers),
  });
  response.end(request.method === 'HEAD' ? undefined : JSON.stringify(body));
}
