import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@nestjs/common';
import { loggedError } from '@passwright/core';
import { Pool } from 'pg';
import { CONNECT_MS, queueClient, serviceName } from '@passwright/database';

/** The interval between two checks whether a connection is in use. */
const UNUSED_MS = 25;

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

  /** Resolves when no connection is in use. */
  async whenUnused(): Promise<void> {
    // Graphile-worker takes a connection for the result of a job only in the next turn of the event loop.
    do await pause(UNUSED_MS);
    while (this.waitingCount > 0 || this.totalCount > this.idleCount);
  }

  /**
   * Closes all connections abruptly, so that everything that waits on them fails now. The pool opens new ones when
   * needed.
   */
  disconnect(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}
