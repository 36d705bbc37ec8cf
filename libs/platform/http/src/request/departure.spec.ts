import { ConcurrencyLimiter } from '@passwright/core';
import { Departure } from './departure.js';

const limits = { width: 1, maxWaitingPerKey: 9, maxWaiting: 9, rejection: 'Too many.' };

it('429 for a waiting request whose client disconnects; the next request gets its turn', async () => {
  const limiter = new ConcurrencyLimiter(limits);
  const leave = await limiter.enter('a');
  const departure = new Departure();
  const gone = limiter.enter('a', departure);
  const next = limiter.enter('a', new Departure());
  departure.end();
  await expect(gone).rejects.toThrow('The client closed the connection; send it again.');
  leave();
  await expect(next).resolves.toBeInstanceOf(Function);
});

it('429 for a request whose client had disconnected before it began to wait', async () => {
  const departure = new Departure();
  departure.end();
  await expect(new ConcurrencyLimiter(limits).enter('a', departure)).rejects.toMatchObject({ code: 'rate_limited' });
});

it('Departure calls each listener once, but not a listener that was removed', () => {
  const departure = new Departure();
  const [kept, removed] = [jest.fn(), jest.fn()];
  departure.addEventListener('abort', kept);
  departure.addEventListener('abort', removed);
  departure.removeEventListener('abort', removed);
  departure.end();
  departure.end();
  expect([kept.mock.calls.length, removed.mock.calls.length]).toEqual([1, 0]);
});
