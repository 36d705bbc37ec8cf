import type { IncomingMessage, Server } from 'node:http';

const addressBeforePath = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/**
 * Shortens a target that is a whole address, such as `http://host/v1/account`, to its path and query (RFC 9112 §3.2.2).
 * The host is ignored, as `Host` is. Call it on a server whose requests Express handles: Express runs no middleware for
 * an address that it cannot parse, and responds with a page of its own.
 */
export function useOriginForm(server: Server): void {
  server.prependListener('request', (request: IncomingMessage) => {
    const target = request.url ?? '/';
    if (target.startsWith('/')) return;
    const shortened = target.replace(addressBeforePath, '');
    if (shortened !== target) request.url = shortened.startsWith('/') ? shortened : `/${shortened}`;
  });
}
