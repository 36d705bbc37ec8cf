import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { errorBody, NotReady } from '@passwright/core';

const unready = new NotReady('This node waits for its database; see the logs.');

/** Answers on the service's port while the service cannot start: alive, but not ready. */
export class WaitingServer {
  private constructor(private readonly server: Server) {}

  /** @throws as `listen` of node:http does */
  static async listen(host: string, port: number): Promise<WaitingServer> {
    const server = createServer(answer).listen(port, host);
    await once(server, 'listening');
    return new WaitingServer(server);
  }

  get port(): number {
    const address = this.server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  /** Frees the port. Clients connect again and reach the service. */
  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const isLive = /^\/health\/live(\?|$)/.test(request.url ?? '');
  const body = isLive ? { status: 'ok' } : errorBody(unready);
  response.writeHead(isLive ? 200 : unready.statusCode, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    // One request on each connection: the next one may reach the service.
    Connection: 'close',
    ...(!isLive && unready.headers),
  });
  response.end(request.method === 'HEAD' ? undefined : JSON.stringify(body));
}
