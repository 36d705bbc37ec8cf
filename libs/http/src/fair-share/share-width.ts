import { performance } from 'node:perf_hooks';

const SAMPLE_MS = 100;
/** The part of the time from which on the event loop counts as busy. */
const BUSY = 0.5;

/**
 * The number of requests of one caller that a node works on beside those of others: one while the event loop is busy, and
 * one more after each tenth of a second in which it was not. What a caller has in hand is what others wait for in each turn
 * of the loop; on a busy loop more of it makes nothing faster.
 */
export class ShareWidth {
  private width = 1;
  private since = performance.eventLoopUtilization();

  constructor(private readonly most: number) {}

  get current(): number {
    const { active, idle, utilization } = performance.eventLoopUtilization(this.since);
    if (active + idle < SAMPLE_MS) return this.width;
    this.since = performance.eventLoopUtilization();
    this.width = utilization > BUSY ? 1 : Math.min(this.most, this.width + 1);
    return this.width;
  }
}
