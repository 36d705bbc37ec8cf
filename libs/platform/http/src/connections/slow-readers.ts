import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const CHECK_MS = 20_000;
/** How long a response may take to send before its client counts as a slow reader. */
const TIMEOUT_MS = 120_000;
const MIN_BYTES = 120 * 1024;

/** A connection that waits for its reader, and the number of bytes it had sent when the wait began. */
interface Waiting {
  readonly sentBytes: number;
  readonly since: number;
}

/**
 * Ends connections whose client reads less than 1 KiB per second of a response for two minutes, because this process
 * keeps the unread rest in memory. Responses that fit into the kernel's buffers never wait for their readers.
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
      if (waiting && now - waiting.since >= TIMEOUT_MS) socket.destroy();
      else sockets.set(socket, waiting);
    }
  }, CHECK_MS).unref();
  server.once('close', () => clearInterval(closeStalled));
}

/**
 * Returns the wait of a connection for its reader: null if it does not wait, and a new wait if the client has read
 * enough since the previous one.
 */
function waitingOf(socket: Socket, before: Waiting | null, now: number): Waiting | null {
  if (socket.writableLength === 0) return null;
  const sentBytes = socket.bytesWritten - socket.writableLength;
  return before && sentBytes - before.sentBytes < MIN_BYTES ? before : { sentBytes, since: now };
}
