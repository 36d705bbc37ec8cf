import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, Socket } from 'node:net';

/** A TCP relay on this machine, like a proxy in front of a server, or a slow network. */
export interface Relay {
  readonly port: number;
  close(): Promise<void>;
}

/** Starts a relay to a port of this machine. @param delayMs delays everything that the server sends */
export async function relayTo(port: number, delayMs = 0): Promise<Relay> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((near) => {
    const far = new Socket().connect(port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket.on('error', () => undefined));
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.on('data', (bytes) => far.write(bytes));
    far.on('data', (bytes) => setTimeout(() => near.write(bytes), delayMs));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
