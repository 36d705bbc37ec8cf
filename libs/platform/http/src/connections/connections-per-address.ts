import type { Server } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { clientAddress } from '@passwright/core';

/**
 * Rejects a connection from an address that already has `most` open connections. Connections inside this process have
 * no address and do not count.
 */
export function limitConnections(server: Server, most: number): void {
  const open = new Map<string, number>();
  server.on('connection', (socket: Duplex) => {
    if (!(socket instanceof Socket)) return;
    const address = clientAddress(socket.remoteAddress);
    const others = open.get(address) ?? 0;
    if (others >= most) {
      socket.destroy();
      return;
    }
    open.set(address, others + 1);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  });
}
