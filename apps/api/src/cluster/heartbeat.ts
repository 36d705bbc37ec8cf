import type { Worker } from 'node:cluster';
import { sendTo } from './cluster-messages.js';

/**
 * Finds workers that no longer respond, for example because of an endless loop, and workers that do not become ready.
 * Counts pings rather than time, so that a pause of the whole node does not make its workers look stuck.
 */
export class Heartbeat {
  private readonly unanswered = new WeakMap<Worker, number>();

  /**
   * @param workers lists the workers that must respond, each with the number of pings in a row that it may leave
   * unanswered
   * @param stuck called with a worker that does not respond
   */
  constructor(
    private readonly pingMs: number,
    private readonly workers: () => ReadonlyMap<Worker, number>,
    private readonly stuck: (worker: Worker, silentMs: number) => void,
  ) {}

  start(): void {
    setInterval(() => this.workers().forEach((most, worker) => this.ping(worker, most)), this.pingMs).unref();
  }

  answered(worker: Worker): void {
    this.unanswered.delete(worker);
  }

  private ping(worker: Worker, most: number): void {
    const unanswered = this.unanswered.get(worker) ?? 0;
    if (unanswered >= most) return this.stuck(worker, unanswered * this.pingMs);
    this.unanswered.set(worker, unanswered + 1);
    sendTo(worker, { type: 'ping' });
  }
}
