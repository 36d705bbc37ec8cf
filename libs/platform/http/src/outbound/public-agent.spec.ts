import { promises } from 'node:fs';
import { NodeExhausted, NoPublicAddress, PublicAgent } from './public-agent.js';

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
