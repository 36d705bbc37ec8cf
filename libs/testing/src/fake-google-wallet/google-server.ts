import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type TestCertificate, testCertificates } from '../test-certificates.js';
import { googleHosts } from './google-hosts.js';
import type { GoogleReply } from './google-rejection.js';

/** Handles a request. Returns null for no response, or 'cut' to drop the connection. */
export type GoogleHandler = (incoming: IncomingMessage) => Promise<GoogleReply | 'cut' | null>;

/** A server on a free port of 127.0.0.1. */
export class GoogleServer {
  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    private readonly scheme: 'http' | 'https',
    /**
     * The authority that issued the server's certificate, as PEM text. Null without TLS or with a given certificate.
     */
    readonly ca: string | null,
  ) {}

  /** @param tls true for a new certificate, which also covers Google's host names */
  static async start(tls: boolean | TestCertificate, handle: GoogleHandler): Promise<GoogleServer> {
    const listener = (incoming: IncomingMessage, response: ServerResponse) => void serve(incoming, response, handle);
    const authority = tls === true ? testCertificates() : null;
    const given = typeof tls === 'object' ? tls : null;
    const certificate = authority?.server(Object.keys(googleHosts)) ?? given;
    const server = certificate
      ? createSecureServer({ cert: certificate.certificatePem, key: certificate.privateKeyPem }, listener)
      : createServer(listener);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new GoogleServer(server, certificate ? 'https' : 'http', authority?.rootPem ?? null);
  }

  get origin(): string {
    return `${this.scheme}://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}

async function serve(incoming: IncomingMessage, response: ServerResponse, handle: GoogleHandler): Promise<void> {
  const reply = await handle(incoming).catch(crash);
  if (reply === null || response.destroyed) return;
  if (reply === 'cut') {
    response.destroy();
    return;
  }
  const isPage = typeof reply.body === 'string';
  response.writeHead(reply.status, {
    'content-type': isPage ? 'text/html; charset=utf-8' : 'application/json; charset=UTF-8',
    ...reply.headers,
  });
  response.end(isPage ? reply.body : JSON.stringify(reply.body));
}

/** Returns the response to an internal error of the fake. */
function crash(error: unknown): GoogleReply {
  const message = `The stand-in has an error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  return { status: 500, body: { error: { code: 500, message, errors: [], status: 'INTERNAL' } } };
}
