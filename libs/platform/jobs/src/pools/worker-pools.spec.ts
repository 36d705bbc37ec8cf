import { EventEmitter } from 'node:events';
import type { WorkerEvents, WorkerPool } from 'graphile-worker';
import { WorkerPools } from './worker-pools.js';

/** Returns the pool of a lane without jobs. */
function emptyPool(): WorkerPool {
  return { id: 'pool', promise: Promise.resolve(), gracefulShutdown: () => Promise.resolve() } as unknown as WorkerPool;
}

it('stopped workers have no listeners left, although graphile-worker keeps their events in memory', async () => {
  const pools = new WorkerPools(() => Promise.resolve());
  const events: WorkerEvents[] = [new EventEmitter(), new EventEmitter()];
  for (const each of events) {
    each.on('job:complete', () => undefined);
    pools.add(each, emptyPool);
  }
  await pools.stop();
  expect(events.map((each) => each.eventNames())).toEqual([[], []]);
});

it('a lane that ends by itself keeps its listeners until the worker stops', () => {
  const pools = new WorkerPools(() => Promise.resolve());
  const events: WorkerEvents = new EventEmitter();
  events.on('job:complete', () => undefined);
  const pool = emptyPool();
  pools.add(events, () => pool);
  events.emit('pool:gracefulShutdown', { ctx: {} as never, pool, workerPool: pool, message: 'by itself' });
  expect(events.eventNames()).toContain('job:complete');
});
