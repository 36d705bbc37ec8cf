import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** The time for which an idle connection may still send a request. */
const IDLE_MS = 5000;

/**
 * Takes no new connections, and ends each open one after its next response, so that its client continues on a new
 * connection at another worker. Resolves when all have ended, or after 5 seconds.
 */
export async function drain(server: Server): Promise<void> {
  server.prependListener('request', (_request, response: ServerResponse) => response.setHeader('Connection', 'close'));
  const closed = once(server, 'close');
  // The `close` of HTTP would also cut off idle connections at once, while a client may be sending its next request.
  NetServer.prototype.close.call(server);
  await Promise.race([closed, pause(IDLE_MS)]);
}
