import { ConcurrencyLimiter } from './concurrency-limiter.js';
import { inRequestOf } from './http/request-origin.js';
import { RequestSlot } from './http/request-slot.js';
import { SameKeyQueue } from './same-key-queue.js';

const failing = (message: string) => () => Promise.reject(new Error(message));

it('SameKeyQueue runs the work of one key in order, even after work that has failed', async () => {
  const queue = new SameKeyQueue();
  const seen: string[] = [];
  const work = (name: string) => async () => {
    seen.push(`${name} begins`);
    await new Promise(setImmediate);
    seen.push(`${name} ends`);
    return name;
  };
  const all = [queue.run('k', work('a')), queue.run('k', failing('b')), queue.run('k', work('c'))];
  expect(await Promise.allSettled(all)).toMatchObject([
    { value: 'a' },
    { reason: expect.objectContaining({ message: 'b' }) },
    { value: 'c' },
  ]);
  expect(seen).toEqual(['a begins', 'a ends', 'c begins', 'c ends']);
});

it('SameKeyQueue does not delay the work of one key because of another key', async () => {
  const queue = new SameKeyQueue();
  void queue.run('stuck', () => new Promise(() => undefined));
  expect(await queue.run('free', () => Promise.resolve(1))).toBe(1);
});

it('SameKeyQueue keeps no entry for a key whose work has ended', async () => {
  const queue = new SameKeyQueue();
  await Promise.allSettled([
    queue.run('a', () => Promise.resolve()),
    queue.run('a', failing('x')),
    queue.run('b', failing('y')),
  ]);
  expect(queue.size).toBe(0);
});

it('SameKeyQueue rejects waiting work when its signal aborts, but later work still waits for earlier work', async () => {
  const queue = new SameKeyQueue();
  const seen: string[] = [];
  let end = () => {};
  const first = queue.run('k', () => new Promise<void>((resolve) => (end = resolve)).then(() => seen.push('first')));
  const gone = new AbortController();
  const second = queue.run('k', () => Promise.resolve(seen.push('second')), gone.signal);
  const third = queue.run('k', () => Promise.resolve(seen.push('third')));
  gone.abort(new Error('gone'));
  await expect(second).rejects.toThrow('gone');
  await new Promise(setImmediate);
  expect(seen).toEqual([]);
  end();
  await Promise.all([first, third]);
  expect(seen).toEqual(['first', 'third']);
});

it('SameKeyQueue frees the slot of a request while the request waits, because earlier work may need a slot', async () => {
  const limiter = new ConcurrencyLimiter({ width: 1, maxWaitingPerKey: 5, maxWaiting: 5, rejection: 'Too many.' });
  const queue = new SameKeyQueue();
  const slot = new RequestSlot(limiter, 'a');
  await slot.take();
  const first = queue.run('k', () => limiter.run('b', () => Promise.resolve('first')));
  const second = inRequestOf({ ip: undefined, requestId: 'r', slot }, () =>
    queue.run('k', () => Promise.resolve('second')),
  );
  expect(await Promise.all([first, second])).toEqual(['first', 'second']);
});
