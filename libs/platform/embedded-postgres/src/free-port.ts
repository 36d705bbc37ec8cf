import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * The range of ports. It ends below 32767, because the system itself assigns higher ports: to servers on port 0 and to
 * outgoing connections.
 */
const [FIRST, END] = [20_000, 32_000];

/**
 * Returns a port of 127.0.0.1 for a server that must know its port before it listens. The port stays free in the
 * meantime, unless another program asks for it by number.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
