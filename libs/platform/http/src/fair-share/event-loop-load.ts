import { performance } from 'node:perf_hooks';

/** The time over which the load is measured. */
const WINDOW_MS = 100;
const BUSY = 0.5;

/** Measures the share of the last tenth of a second during which the event loop has worked. */
export class EventLoopLoad {
  private start = performance.eventLoopUtilization();
  private startMs = performance.now();
  private isHigh = false;

  /** Returns true if the event loop has worked for more than half of the time. */
  isBusy(): boolean {
    const now = performance.now();
    if (now - this.startMs >= WINDOW_MS) {
      const end = performance.eventLoopUtilization();
      this.isHigh = performance.eventLoopUtilization(end, this.start).utilization > BUSY;
      this.start = end;
      this.startMs = now;
    }
    return this.isHigh;
  }
}
