import { RateLimited } from '@passwright/core';
import { Turns } from './turns.js';

describe('turns', () => {
  /** A work that ends when it is told to. */
  function work() {
    let end: (error?: Error) => void = () => undefined;
    const done = new Promise<void>((resolve, reject) => (end = (error) => (error ? reject(error) : resolve())));
    return { done, end };
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  it('run at most so many at once, the others in the order they came, also after one that fails', async () => {
    const turns = new Turns(2, 10);
    const works = [work(), work(), work(), work()];
    const started: number[] = [];
    const results = works.map(({ done }, index) => {
      return turns.take(() => {
        started.push(index);
        return done;
      });
    });
    const outcome = Promise.allSettled(results);
    await settle();
    expect(started).toEqual([0, 1]);
    works[1]?.end(new Error('failed'));
    await settle();
    expect(started).toEqual([0, 1, 2]);
    for (const { end } of works) end();
    expect((await outcome).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(started).toEqual([0, 1, 2, 3]);
  });

  it('429 rate_limited when too many are waiting, without keeping them', async () => {
    const turns = new Turns(1, 1);
    const first = work();
    const running = turns.take(() => first.done);
    const waiting = turns.take(() => Promise.resolve('second'));
    await expect(turns.take(() => Promise.resolve('third'))).rejects.toThrow(RateLimited);
    first.end();
    await running;
    expect(await waiting).toBe('second');
    expect(await turns.take(() => Promise.resolve('free again'))).toBe('free again');
  });
});
