// The network between nodes and their database. It can simulate typical errors.
import { connect, createServer } from 'node:net';
import { once } from 'node:events';

/** A proxy that can swallow or delay data, and cut connections or responses. */
export class Network {
  sockets = new Set();
  swallows = false;
  lateMs = 0;
  /** The share of responses that break off in the middle. */
  halved = 0;

  async open(port) {
    this.server = createServer((client) => {
      const upstream = connect(port, '127.0.0.1');
      for (const socket of [client, upstream]) {
        this.sockets.add(socket);
        socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
      }
      // A connection that has lost bytes stays broken, as it does after a firewall has forgotten the connection.
      const pass = (from, to) => {
        let broken = false;
        let dueAt = 0;
        from.on('data', (bytes) => {
          broken ||= this.swallows;
          if (broken) return;
          if (from === upstream && Math.random() < this.halved) {
            broken = true;
            to.write(bytes.subarray(0, bytes.length / 2), () => to.destroy());
            return;
          }
          // Keep the order: data must not arrive before earlier data that is still delayed.
          dueAt = Math.max(dueAt, performance.now() + this.lateMs);
          const waitMs = dueAt - performance.now();
          if (waitMs > 0) setTimeout(() => to.write(bytes), waitMs);
          else to.write(bytes);
        });
        from.on('close', () => to.destroy());
      };
      pass(client, upstream);
      pass(upstream, client);
    }).listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return /** @type {import('node:net').AddressInfo} */ (this.server.address()).port;
  }

  cut() {
    for (const socket of this.sockets) socket.destroy();
  }

  close() {
    this.server.close();
    this.cut();
  }
}
