import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { S3Limits, S3Store } from '../storage.options.js';

/** A request that the service has received. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** The SHA-256 of the body, lower-case hex. */
  readonly sha256: string;
}

export type Responder = (response: ServerResponse, request: Received) => void;

/** A service that speaks the protocol of S3 and fails as a test demands. Every response has an ETag. */
export class FaultyService {
  readonly received: Received[] = [];
  /** The requests that still hold a connection. */
  readonly unfinished = new Set<ServerResponse>();
  readonly sockets = new Set<Socket>();
  private responders: Responder[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FaultyService> {
    const server = createServer({ keepAliveTimeout: 60_000 });
    const service = new FaultyService(server);
    server.on('request', (request, response) => void service.respond(request, response));
    server.on('connection', (socket) => {
      service.sockets.add(socket);
      socket.on('close', () => service.sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  /**
   * Responds to the next requests with these responders, in order. The last one also responds to all later requests.
   */
  script(...responders: Responder[]): void {
    this.responders = responders;
    this.received.length = 0;
  }

  store(limits?: S3Limits): S3Store {
    const { port } = this.server.address() as AddressInfo;
    return {
      kind: 's3',
      bucket: 'bucket',
      region: 'eu-central-1',
      endpoint: `http://127.0.0.1:${port}`,
      pathStyle: true,
      credentials: { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret' },
      limits,
    };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.unfinished.add(response);
    response.on('close', () => this.unfinished.delete(response));
    const body = await buffer(request);
    const { method = '', url = '', headers } = request;
    const received = { method, path: url, headers, body, sha256: createHash('sha256').update(body).digest('hex') };
    this.received.push(received);
    response.setHeader('ETag', '"etag"');
    const responder = this.responders.length > 1 ? this.responders.shift() : this.responders[0];
    responder?.(response, received);
  }
}

/** Sends an error of S3. A response to HEAD has no body. */
export const rejection =
  (status: number, code: string): Responder =>
  (response, { method }) => {
    const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>A message.</Message></Error>`;
    response.writeHead(status, { 'Content-Type': 'application/xml' }).end(method === 'HEAD' ? undefined : body);
  };

/** Succeeds; only the response to GET has the body. */
export const success =
  (body: string | Buffer = ''): Responder =>
  (response, { method }) => {
    const sent = method === 'GET' ? body : '';
    response.writeHead(200, { 'Content-Length': Buffer.byteLength(sent) }).end(sent);
  };

/** Accepts a request and never responds. */
export const silence: Responder = () => undefined;
