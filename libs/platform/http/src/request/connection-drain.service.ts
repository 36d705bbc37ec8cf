import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as SocketServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { HttpOptions } from '../http.options.js';
import { REQUESTS_STOP_MS } from './request-timeouts.js';

/** How long clients may still send requests on connections whose end was not announced. */
const GRACE_MS = 500;
const CHECK_MS = 100;

/** A connection and its requests. */
interface Connection {
  readonly inProgress: Set<ServerResponse>;
  /** The number of bytes that had arrived at the end of the last request, or at the last check. */
  readUntil: number;
  /**
   * The time until which the client may send another request or the rest of it, because it does not know yet that the
   * connection will close.
   */
  graceUntil: number;
}

/**
 * Ends connections without cutting off a request when the node stops. Accepts no new connections and sends `Connection:
 * close` with every response. Closes idle connections after half a second, because their clients may just be sending a
 * request. Cuts off requests that take longer than `stopWithinMs`.
 */
@Injectable()
export class ConnectionDrainService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Http');
  private isEnabled = false;
  private isAnnounced = false;
  private readonly open = new Map<Socket, Connection>();

  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly options: HttpOptions,
  ) {}

  /** Makes the app drain its connections. Without this call, the app stops as Nest does by default. */
  enable(): void {
    this.isEnabled = true;
  }

  onApplicationBootstrap(): void {
    if (!this.isEnabled) return;
    this.server?.on('connection', (socket: Socket) => this.connectionOf(socket));
    this.server?.prependListener('request', (request: IncomingMessage, response: ServerResponse) =>
      this.begin(request, response),
    );
  }

  /** Makes every later response announce the end of its connection. The server still accepts connections. */
  announce(): void {
    if (this.isAnnounced) return;
    this.isAnnounced = true;
    for (const { inProgress } of this.open.values()) {
      for (const response of inProgress) response.shouldKeepAlive &&= response.headersSent;
    }
  }

  /**
   * Accepts no new connections, announces the end of the open ones, and waits until they have ended or `graceMs` is
   * over.
   */
  async drain(graceMs: number): Promise<void> {
    if (this.server) await this.endedWithin(this.server, graceMs);
  }

  async beforeApplicationShutdown(): Promise<void> {
    const { server } = this;
    if (!this.isEnabled || !server) return;
    const closed = new Promise((resolve) => server.once('close', resolve));
    await this.endedWithin(server, GRACE_MS);
    const closeIdle = setInterval(() => this.closeIdle(), CHECK_MS);
    const cutOff = setTimeout(() => this.cutOff(), this.options.stopWithinMs ?? REQUESTS_STOP_MS);
    await closed;
    clearInterval(closeIdle);
    clearTimeout(cutOff);
  }

  private async endedWithin(server: Server, graceMs: number): Promise<void> {
    this.announce();
    const closed = new Promise((resolve) => server.once('close', resolve));
    // Close only the socket server, because the HTTP server's `close` would also close idle connections.
    SocketServer.prototype.close.call(server);
    await Promise.race([closed, pause(graceMs, undefined, { ref: false })]);
  }

  private connectionOf(socket: Socket): Connection {
    const known = this.open.get(socket);
    if (known) return known;
    const connection: Connection = { inProgress: new Set(), readUntil: 0, graceUntil: 0 };
    this.open.set(socket, connection);
    socket.once('close', () => this.open.delete(socket));
    return connection;
  }

  private begin(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = this.connectionOf(socket);
    if (this.isAnnounced) response.shouldKeepAlive = false;
    connection.inProgress.add(response);
    const end = () => void (connection.readUntil = socket.bytesRead);
    response.once('close', () => {
      connection.inProgress.delete(response);
      // The rest of a body may arrive after the response.
      if (request.complete) end();
      else request.once('end', end);
      if (this.isAnnounced && response.shouldKeepAlive) connection.graceUntil = performance.now() + GRACE_MS;
    });
  }

  /**
   * Closes connections without a request, and those that have sent no data. Node's `closeIdleConnections` would also
   * close connections whose client still reads the end of a response.
   */
  private closeIdle(): void {
    const now = performance.now();
    for (const [socket, connection] of this.open) {
      if (connection.inProgress.size > 0) continue;
      if (socket.bytesRead > connection.readUntil) {
        // These bytes may begin another request.
        connection.readUntil = socket.bytesRead;
        connection.graceUntil = now + GRACE_MS;
      } else if (now >= connection.graceUntil) socket.destroy();
    }
  }

  private cutOff(): void {
    this.logger.warn(`The stop cuts off requests in progress; connections: ${this.open.size}`);
    for (const socket of this.open.keys()) socket.destroy();
  }

  /** The HTTP server; null if the modules run without HTTP. */
  private get server(): Server | null {
    // Nest's type is not nullable, but a context without HTTP has no adapter.
    const adapter = this.adapterHost.httpAdapter as HttpAdapterHost['httpAdapter'] | undefined;
    return (adapter?.getHttpServer() as Server | undefined) ?? null;
  }
}
