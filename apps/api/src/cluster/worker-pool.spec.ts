import cluster, { type Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { WorkerPool } from './worker-pool.js';

const limits = { pingMs: 60_000, leaveMs: 60_000, stopMs: 60_000 };
const PORT = 3000;

/** A worker without a process. */
class FakeWorker extends EventEmitter {
  readonly process = Object.assign(new EventEmitter(), { pid: workers.length + 1, send: () => true, kill: () => true });
  readonly isConnected = () => true;
  readonly send = () => true;
  isRunning = true;

  becomeReady(): void {
    this.emit('message', { type: 'ready', port: PORT });
  }

  end(code: number | null, signal: string | null): void {
    this.isRunning = false;
    this.emit('exit', code, signal);
  }
}

const workers: FakeWorker[] = [];

beforeEach(() => {
  workers.length = 0;
  jest.spyOn(cluster, 'fork').mockImplementation(() => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker as unknown as Worker;
  });
});
afterEach(() => void jest.restoreAllMocks());

/** Lets a worker serve. Waits until the pool has started it. */
async function ready(index: number): Promise<void> {
  while (!workers[index]) await turn();
  workers[index].becomeReady();
  await turn();
}

async function startPool(): Promise<WorkerPool> {
  const pool = new WorkerPool(2, limits, pino({ enabled: false }), (failure) => {
    throw failure;
  });
  const started = pool.start();
  await ready(0);
  await ready(1);
  await started;
  return pool;
}

const running = () => workers.filter(({ isRunning }) => isRunning).length;

describe('WorkerPool', () => {
  it('a restart keeps the number of workers if all old ones die while the first replacement starts', async () => {
    const pool = await startPool();
    const restarted = pool.restart();
    for (const old of workers.slice(0, 2)) old.end(null, 'SIGKILL');
    await ready(3);
    await ready(2);
    expect(running()).toBe(2);
    await restarted;
  });
});
