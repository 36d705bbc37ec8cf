import { once } from 'node:events';
import { promises } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { NodeExhausted, NoPublicAddress, PublicAgent, TooManyInformational } from './public-agent.js';

const errno = (code: string) => Object.assign(new Error(`connect ${code}`), { code, syscall: 'connect' });

/** Requests a host whose look-up fails with `error`. */
async function call(error: Error): Promise<unknown> {
  const agent = new PublicAgent({
    hostsAllowed: [],
    connectTimeoutMs: 1000,
    keepsConnections: false,
    resolve: () => Promise.reject(error),
  });
  try {
    return await agent.request(new URL('https://example.com/'), { headers: {}, signal: AbortSignal.timeout(5000) });
  } catch (caught) {
    return caught;
  } finally {
    await agent.destroy();
  }
}

it.each([
  ['EMFILE', errno('EMFILE')],
  ['ENOBUFS as a cause', new Error('failed', { cause: errno('ENOBUFS') })],
  ['ENFILE for one of several addresses', new AggregateError([errno('ECONNREFUSED'), errno('ENFILE')])],
])('PublicAgent rejects with NodeExhausted for %s, which is a fault of the node', async (_name, error) => {
  expect(await call(error)).toBeInstanceOf(NodeExhausted);
});

it.each(['ECONNREFUSED', 'ECONNRESET', 'EPERM'])(
  'PublicAgent passes on the error %s, which may be a fault of the host',
  async (code) => {
    const error = errno(code);
    expect(await call(error)).toBe(error);
  },
);

it('PublicAgent rejects with NodeExhausted if a look-up failed for lack of file handles', async () => {
  const open = jest.spyOn(promises, 'open').mockRejectedValue(errno('EMFILE'));
  const seen = await call(Object.assign(new Error('not found'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' }));
  open.mockRestore();
  expect(seen).toBeInstanceOf(NodeExhausted);
});

it.each(['a..b', `${'a'.repeat(64)}.com`])(
  'PublicAgent rejects with NoPublicAddress for the host %s, which cannot be a name in DNS',
  async (host) => {
    const agent = new PublicAgent({ hostsAllowed: [], connectTimeoutMs: 1000, keepsConnections: false });
    const sent = agent.request(new URL(`https://${host}/`), { headers: {}, signal: AbortSignal.timeout(5000) });
    await expect(sent).rejects.toThrow(NoPublicAddress);
    await agent.destroy();
  },
);

it('PublicAgent rejects with TooManyInformational when a host sends informational responses without end', async () => {
  const server = createServer();
  const piece = 'HTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\n'.repeat(1000);
  const closed = new Promise<void>((resolve) => {
    server.once('connection', (socket) => {
      const write = () => void socket.write(piece);
      socket.on('error', () => undefined).on('drain', write);
      socket.once('data', write).once('close', resolve);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const agent = new PublicAgent({ hostsAllowed: ['127.0.0.1'], connectTimeoutMs: 1000, keepsConnections: true });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const sent = agent.request(url, { headers: {}, signal: AbortSignal.timeout(3000) });
  await expect(sent).rejects.toThrow(TooManyInformational);
  await closed;
  await agent.destroy();
  server.close();
});
