import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { UNREAD_CHECK_MS, UNREAD_MS } from '../request/request-timeouts.js';

const MIN_BYTES = 120 * 1024;

/**
 * A connection that waits for its client to read. Records the bytes sent before the wait, and the time at which it
 * began.
 */
interface Waiting {
  readonly sentBytes: number;
  readonly since: number;
}

/**
 * Ends a connection if its client reads a response at less than 1 KiB per second for two minutes, because this process
 * holds the unread rest in memory.
 */
export function endSlowReaders(server: Server): void {
  const sockets = new Map<Socket, Waiting | null>();
  server.on('connection', (socket: Socket) => {
    sockets.set(socket, null);
    socket.once('close', () => sockets.delete(socket));
  });
  const closeStalled = setInterval(() => {
    const now = performance.now();
    for (const [socket, before] of sockets) {
      const waiting = waitingOf(socket, before, now);
      if (waiting && now - waiting.since >= UNREAD_MS) socket.destroy();
      else sockets.set(socket, waiting);
    }
  }, UNREAD_CHECK_MS).unref();
  server.once('close', () => clearInterval(closeStalled));
}

/**
 * Returns the connection's current wait for its client; null if it does not wait. A new wait begins when the client has
 * read enough.
 */
function waitingOf(socket: Socket, before: Waiting | null, now: number): Waiting | null {
  if (socket.writableLength === 0) return null;
  const sentBytes = socket.bytesWritten - socket.writableLength;
  return before && sentBytes - before.sentBytes < MIN_BYTES ? before : { sentBytes, since: now };
}
