import type { Worker } from 'node:cluster';
import { Heartbeat } from './heartbeat.js';

const PING_MS = 5000;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

function watched() {
  const worker = { isConnected: () => true, send: jest.fn() };
  const stuck = jest.fn();
  const heartbeat = new Heartbeat(PING_MS, () => new Map([[worker as unknown as Worker, 6]]), stuck);
  heartbeat.start();
  return { heartbeat, worker: worker as unknown as Worker, send: worker.send, stuck };
}

describe('Heartbeat', () => {
  it('Heartbeat reports a worker after as many pings without a response as it may leave unanswered', () => {
    const { worker, send, stuck } = watched();
    jest.advanceTimersByTime(6 * PING_MS);
    expect([send.mock.calls.length, stuck.mock.calls.length]).toEqual([6, 0]);
    jest.advanceTimersByTime(PING_MS);
    expect(stuck.mock.calls).toEqual([[worker, 30_000]]);
  });

  it('Heartbeat restarts its timer after each response of the worker', () => {
    const { heartbeat, worker, stuck } = watched();
    for (let answers = 0; answers < 3; answers++) {
      jest.advanceTimersByTime(6 * PING_MS);
      heartbeat.answered(worker);
    }
    expect(stuck).not.toHaveBeenCalled();
  });
});
