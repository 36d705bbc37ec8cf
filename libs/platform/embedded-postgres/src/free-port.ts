import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** The range of ports. It ends below 32767, because the system assigns higher ports to other programs. */
const [FIRST, END] = [20_000, 32_000];

/**
 * Returns a free port of 127.0.0.1 for a server that must know its port before it listens. The system does not assign
 * the port to other programs meanwhile.
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
