import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePort } from './free-port.js';

it('freePort returns usable ports that the system does not assign to other programs', async () => {
  for (let round = 0; round < 3; round++) {
    const port = await freePort();
    expect(port).toBeLessThan(32_768);
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    server.close();
  }
});
