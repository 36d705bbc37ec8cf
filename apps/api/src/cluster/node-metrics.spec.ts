import type { Worker } from 'node:cluster';
import { NodeMetrics } from './node-metrics.js';

/** A fake worker that receives messages. It reports its metrics only when a test tells it to. */
function fakeWorker(id: number) {
  const sent: unknown[] = [];
  const worker = { id, isConnected: () => true, send: (message: unknown) => sent.push(message) };
  return { worker: worker as unknown as Worker, sent };
}

const serving = (processes: Awaited<ReturnType<NodeMetrics['collect']>>) =>
  processes[0]?.find(({ name }) => name === 'passwright_workers')?.values[0]?.value;

describe('NodeMetrics', () => {
  it('NodeMetrics counts only the workers that report in time', async () => {
    const [prompt, silent] = [fakeWorker(1), fakeWorker(2)];
    const metrics = new NodeMetrics();
    const collected = metrics.collect([prompt.worker, silent.worker]);
    metrics.received(prompt.worker, []);
    expect(serving(await collected)).toBe(1);
  });

  it('a scrape neither waits for nor counts a worker that ends before it reports', async () => {
    const { worker } = fakeWorker(1);
    const metrics = new NodeMetrics();
    const collected = metrics.collect([worker]);
    metrics.workerEnded(worker);
    expect(serving(await collected)).toBe(0);
  });

  it('NodeMetrics asks a worker once for simultaneous scrapes, and again for a later scrape', async () => {
    const { worker, sent } = fakeWorker(1);
    const metrics = new NodeMetrics();
    const both = [metrics.collect([worker]), metrics.collect([worker])];
    expect(sent).toEqual([{ type: 'report' }]);
    metrics.received(worker, []);
    expect((await Promise.all(both)).map(serving)).toEqual([1, 1]);
    const later = metrics.collect([worker]);
    metrics.received(worker, []);
    await later;
    expect(sent).toHaveLength(2);
  });
});
