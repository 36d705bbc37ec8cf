import type { Server, ServerResponse } from 'node:http';
import { Server as SocketServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { HttpOptions } from '../http.options.js';
import { REQUESTS_STOP_MS } from './request-timeouts.js';

/** How long clients may still send requests on connections whose end was not announced. */
const GRACE_MS = 500;
const CHECK_MS = 100;

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
  private readonly open = new Set<Socket>();
  private readonly inProgress = new Set<ServerResponse>();
  /**
   * Responses whose headers were sent before `announce`, with the time at which they were complete; Infinity until
   * then.
   */
  private readonly unannounced = new Map<ServerResponse, number>();

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
    this.server?.prependListener('request', (_request: unknown, response: ServerResponse) => {
      if (this.isAnnounced) return void (response.shouldKeepAlive = false);
      this.inProgress.add(response);
      response.once('close', () => this.inProgress.delete(response));
    });
    this.server?.on('connection', (socket: Socket) => {
      this.open.add(socket);
      socket.once('close', () => this.open.delete(socket));
    });
  }

  /** Makes every later response announce the end of its connection. The server still accepts connections. */
  announce(): void {
    if (this.isAnnounced) return;
    this.isAnnounced = true;
    for (const response of this.inProgress) {
      if (response.headersSent) this.unannounced.set(response, Infinity);
      else response.shouldKeepAlive = false;
    }
    this.inProgress.clear();
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
    const closeStalled = setInterval(() => this.closeStalled(server), CHECK_MS);
    const cutOff = setTimeout(() => this.cutOff(), this.options.stopWithinMs ?? REQUESTS_STOP_MS);
    await closed;
    clearInterval(closeStalled);
    clearTimeout(cutOff);
  }

  private async endedWithin(server: Server, graceMs: number): Promise<void> {
    this.announce();
    const closed = new Promise((resolve) => server.once('close', resolve));
    // Close only the socket server, because the HTTP server's `close` would also close idle connections.
    SocketServer.prototype.close.call(server);
    await Promise.race([closed, pause(graceMs, undefined, { ref: false })]);
  }

  private closeStalled(server: Server): void {
    const now = performance.now();
    for (const [response, since] of this.unannounced) {
      const { complete, socket } = response.req;
      if (socket.destroyed || now - since > GRACE_MS) this.unannounced.delete(response);
      else if (since === Infinity && response.writableFinished && complete) this.unannounced.set(response, now);
    }
    // Close idle connections only when no client may be sending a request, because Node can only close all of them.
    if (this.unannounced.size === 0) server.closeIdleConnections();
    // Close connections that have sent no data. Node treats them as busy for half a minute.
    for (const socket of this.open) if (socket.bytesRead === 0) socket.destroy();
  }

  private cutOff(): void {
    this.logger.warn(`The stop cuts off requests in progress on ${this.open.size} connections`);
    for (const socket of this.open) socket.destroy();
  }

  /** The HTTP server; null if the modules run without HTTP. */
  private get server(): Server | null {
    // Nest's type is not nullable, but a context without HTTP has no adapter.
    const adapter = this.adapterHost.httpAdapter as HttpAdapterHost['httpAdapter'] | undefined;
    return (adapter?.getHttpServer() as Server | undefined) ?? null;
  }
}
