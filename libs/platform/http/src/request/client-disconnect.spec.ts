import { ConcurrencyLimiter } from '@passwright/core';
import { ClientDisconnect } from './client-disconnect.js';

const limits = { width: 1, maxWaitingPerKey: 9, maxWaiting: 9, rejection: 'Too many.' };

it('429 for a waiting request whose client disconnects; the next request gets its turn', async () => {
  const limiter = new ConcurrencyLimiter(limits);
  const leave = await limiter.enter('a');
  const disconnect = new ClientDisconnect();
  const gone = limiter.enter('a', disconnect);
  const next = limiter.enter('a', new ClientDisconnect());
  disconnect.end();
  await expect(gone).rejects.toThrow('The client closed the connection; send it again.');
  leave();
  await expect(next).resolves.toBeInstanceOf(Function);
});

it('429 for a request whose client had disconnected before it began to wait', async () => {
  const disconnect = new ClientDisconnect();
  disconnect.end();
  await expect(new ConcurrencyLimiter(limits).enter('a', disconnect)).rejects.toMatchObject({ code: 'rate_limited' });
});

it('ClientDisconnect calls each listener once, but not a listener that was removed', () => {
  const disconnect = new ClientDisconnect();
  const [kept, removed] = [jest.fn(), jest.fn()];
  disconnect.addEventListener('abort', kept);
  disconnect.addEventListener('abort', removed);
  disconnect.removeEventListener('abort', removed);
  disconnect.end();
  disconnect.end();
  expect([kept.mock.calls.length, removed.mock.calls.length]).toEqual([1, 0]);
});
