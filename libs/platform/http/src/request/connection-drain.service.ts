import type { Server, ServerResponse } from 'node:http';
import { Server as SocketServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { HttpOptions } from '../http.options.js';
import { REQUESTS_STOP_MS } from './request-times.js';

/**
 * The time in which open connections may still send requests and learn from the response that their connection ends.
 */
const GRACE_MS = 500;
const CHECK_MS = 100;

/**
 * Ends connections without cutting off a request when the node stops. It accepts no new connections and sends
 * `Connection: close` with every response, so that a busy client goes to another node. It closes idle connections after
 * half a second, and connections that become idle later at once. It cuts off what takes longer than `stopWithinMs`, so
 * that the rest of the stop has time before the process is killed. Node by itself would close idle connections while a
 * request may be on its way, and serve busy ones for as long as their clients like.
 */
@Injectable()
export class ConnectionDrainService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Http');
  private isEnabled = false;
  private draining = false;
  private readonly open = new Set<Socket>();

  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly options: HttpOptions,
  ) {}

  /** Makes the app drain its connections. An app that does not ask for it stops as Nest stops it. */
  enable(): void {
    this.isEnabled = true;
  }

  onApplicationBootstrap(): void {
    if (!this.isEnabled) return;
    this.server?.prependListener('request', (_request: unknown, response: ServerResponse) => {
      if (this.draining) response.shouldKeepAlive = false;
    });
    this.server?.on('connection', (socket: Socket) => {
      this.open.add(socket);
      socket.once('close', () => this.open.delete(socket));
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    const { server } = this;
    if (!this.isEnabled || !server) return;
    this.draining = true;
    const closed = new Promise((resolve) => server.once('close', resolve));
    // The HTTP server's own `close` would close idle connections now. A server that no longer listens may still have open
    // connections; without them, it emits `close` again.
    SocketServer.prototype.close.call(server);
    await Promise.race([closed, pause(GRACE_MS, undefined, { ref: false })]);
    const closeStalled = setInterval(() => {
      server.closeIdleConnections();
      // Node treats connections that have sent no data as busy until their headers are half a minute late.
      for (const socket of this.open) if (socket.bytesRead === 0) socket.destroy();
    }, CHECK_MS);
    const cutOff = setTimeout(() => this.cutOff(), this.options.stopWithinMs ?? REQUESTS_STOP_MS);
    await closed;
    clearInterval(closeStalled);
    clearTimeout(cutOff);
  }

  private cutOff(): void {
    this.logger.warn(`The stop cuts off requests in progress on ${this.open.size} connections`);
    for (const socket of this.open) socket.destroy();
  }

  /** The HTTP server; null if the modules run without HTTP. */
  private get server(): Server | null {
    // The type of the property is not nullable, but a context without HTTP has no adapter.
    const adapter = this.adapterHost.httpAdapter as HttpAdapterHost['httpAdapter'] | undefined;
    return (adapter?.getHttpServer() as Server | undefined) ?? null;
  }
}
