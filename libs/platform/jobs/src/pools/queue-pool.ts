import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@nestjs/common';
import { loggedError } from '@passwright/core';
import { Pool, type PoolClient } from 'pg';
import { CONNECT_MS, queueClient, serviceName } from '@passwright/database';

/** The interval between two checks for connections in use. */
const UNUSED_MS = 25;

type Connected = (
  error: Error | undefined,
  client: PoolClient | undefined,
  /** Undefined if there is no connection. */
  release?: (error?: Error | boolean) => void,
) => void;

/** The connections on which a worker takes and ends jobs. */
export class QueuePool extends Pool {
  private readonly sockets: Set<Socket>;

  constructor(url: string, max: number, logger: Logger, schema: string | null = null) {
    const sockets = new Set<Socket>();
    super({
      connectionString: url,
      max,
      connectionTimeoutMillis: CONNECT_MS,
      // Set no time limit for statements, because a worker that loses the database closes these connections.
      Client: queueClient(schema),
      application_name: `${serviceName(schema)} jobs`,
      stream: () => {
        const socket = new Socket();
        sockets.add(socket.once('close', () => sockets.delete(socket)));
        return socket;
      },
    });
    this.sockets = sockets;
    const tell = (error: Error) => logger.warn(`A connection of the queue is lost: ${loggedError(error).message}`);
    this.on('error', tell);
    this.on('connect', (client) => client.on('error', tell));
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<PoolClient> | void {
    if (!callback) return super.connect();
    super.connect((error, client, release?: (error?: Error | boolean) => void) => {
      let isReleased = false;
      const releaseOnce = (failure?: Error | boolean) => {
        // Graphile-worker releases the connection of a listener twice if it ends while the listener still connects. The
        // pool would throw an error, which would end the process.
        if (!isReleased) release?.(failure);
        isReleased = true;
      };
      callback(error, client, releaseOnce);
    });
  }

  /** Resolves when no connection is in use. */
  async whenUnused(): Promise<void> {
    // Graphile-worker takes a connection for the result of a job only in the next turn of the event loop.
    do await pause(UNUSED_MS);
    while (this.waitingCount > 0 || this.totalCount > this.idleCount);
  }

  /**
   * Closes all connections abruptly, so that everything that waits for them fails now. The pool opens new ones when
   * needed.
   */
  disconnect(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}
