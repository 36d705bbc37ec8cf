import type { Worker } from 'node:cluster';
import { sendTo } from './messages.js';

/** A worker counts as stuck when it has not responded to this many pings in a row. */
const MOST_UNANSWERED = 6;

/**
 * Finds workers that no longer respond, for example because of an endless loop. Counts pings rather than time, so that
 * a pause of the whole node does not make its workers look stuck.
 */
export class Heartbeat {
  private readonly unanswered = new WeakMap<Worker, number>();

  /**
   * @param workers lists the workers that must respond
   * @param stuck called with a worker that does not respond
   */
  constructor(
    private readonly pingMs: number,
    private readonly workers: () => readonly Worker[],
    private readonly stuck: (worker: Worker, silentMs: number) => void,
  ) {}

  start(): void {
    setInterval(() => this.workers().forEach((worker) => this.ping(worker)), this.pingMs).unref();
  }

  answered(worker: Worker): void {
    this.unanswered.delete(worker);
  }

  private ping(worker: Worker): void {
    const unanswered = this.unanswered.get(worker) ?? 0;
    if (unanswered === MOST_UNANSWERED) return this.stuck(worker, unanswered * this.pingMs);
    this.unanswered.set(worker, unanswered + 1);
    sendTo(worker, { type: 'ping' });
  }
}
