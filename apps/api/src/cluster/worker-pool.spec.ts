import { EventEmitter } from 'node:events';
import cluster, { type Worker } from 'node:cluster';
import timers, { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { WorkerPool } from './worker-pool.js';

/** A worker that follows the test's script. */
class ScriptedWorker extends EventEmitter {
  readonly process = Object.assign(new EventEmitter(), { pid: 1, kill: () => void this.end(), send: () => true });
  readonly isConnected = () => true;
  readonly send = () => true;
  isRunning = true;

  ready(): void {
    this.emit('message', { type: 'ready', port: 3000 });
  }

  async end(): Promise<void> {
    this.isRunning = false;
    this.emit('exit', 1, null);
    await turn();
  }
}

let forked: ScriptedWorker[];
let failures: unknown[];
/** Makes the pool send a ping to its workers. */
let ping: () => void;

async function nodeWithWorkers(): Promise<WorkerPool> {
  const limits = { pingMs: 60_000, startMs: 120_000, leaveMs: 0, stopMs: 0 };
  const pool = new WorkerPool(2, limits, pino({ enabled: false }), (failure) => failures.push(failure));
  const started = pool.start();
  forked[0]?.ready();
  await turn();
  forked[1]?.ready();
  await started;
  await turn();
  return pool;
}

/** Starts a node with two workers, which end, so that two others are starting. */
async function nodeWithoutWorkers(): Promise<void> {
  await nodeWithWorkers();
  for (const worker of forked.slice()) await worker.end();
  expect(forked).toHaveLength(4);
}

beforeEach(() => {
  [forked, failures] = [[], []];
  jest.spyOn(timers, 'setTimeout').mockResolvedValue(undefined);
  jest.spyOn(globalThis, 'setInterval').mockImplementation((send) => {
    ping = send;
    return { unref: () => undefined } as unknown as NodeJS.Timeout;
  });
  jest.spyOn(cluster, 'fork').mockImplementation(() => {
    const worker = new ScriptedWorker();
    forked.push(worker);
    return worker as unknown as Worker;
  });
});
afterEach(() => jest.restoreAllMocks());

it('a node gives up if all replacements of its last workers have failed', async () => {
  await nodeWithoutWorkers();
  await forked[2]?.end();
  expect(failures).toEqual([]);
  await forked[3]?.end();
  expect([failures.length, forked.length]).toEqual([1, 4]);
});

it('a node continues if one of the replacements of its last workers is ready', async () => {
  await nodeWithoutWorkers();
  await forked[2]?.end();
  forked[3]?.ready();
  await turn();
  expect([failures.length, forked.length]).toEqual([0, 5]);
});

it('a node with one ready worker tries again to replace the other', async () => {
  await nodeWithoutWorkers();
  forked[3]?.ready();
  await forked[2]?.end();
  await forked[4]?.end();
  expect([failures.length, forked.length]).toEqual([0, 6]);
});

it('a restart keeps the number of workers even if all old ones die while the first replacement starts', async () => {
  const pool = await nodeWithWorkers();
  const restarted = pool.restart();
  await forked[0]?.end();
  await forked[1]?.end();
  while (forked.length < 4) await turn();
  forked[3]?.ready();
  await turn();
  forked[2]?.ready();
  await restarted;
  await turn();
  expect(forked.filter(({ isRunning }) => isRunning)).toHaveLength(2);
});

it('a node kills a worker that hangs while it starts, and gives up if no other one is left', async () => {
  await nodeWithoutWorkers();
  await forked[2]?.end();
  ping();
  ping();
  expect(failures).toEqual([]);
  ping();
  await turn();
  expect([failures.length, forked.length]).toEqual([1, 4]);
});

it('a node gives a worker that waits for its database all the time it needs', async () => {
  await nodeWithoutWorkers();
  await forked[2]?.end();
  for (let pings = 0; pings < 10; pings++) {
    ping();
    forked[3]?.emit('message', { type: 'pong' });
  }
  await turn();
  expect([failures.length, forked[3]?.isRunning]).toEqual([0, true]);
});

it('a worker that has just become ready may again leave pings unanswered', async () => {
  await nodeWithoutWorkers();
  ping();
  ping();
  forked[3]?.ready();
  ping();
  expect(forked[3]?.isRunning).toBe(true);
});
