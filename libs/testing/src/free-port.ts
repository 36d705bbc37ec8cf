import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Systems give out ports above 32767 by themselves: to servers on port 0 and to outgoing connections. */
const [FIRST, END] = [20_000, 32_000];

/**
 * Returns a port of 127.0.0.1 for a server that must know its port before it listens. No other server or connection takes
 * it meanwhile, unless it asks for this port by number.
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
