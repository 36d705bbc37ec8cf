import { performance } from 'node:perf_hooks';

/** The time over which the load is measured. */
const WINDOW_MS = 100;
const BUSY = 0.5;

/** Measures how much of the last 100 ms the event loop was busy. */
export class EventLoopLoad {
  private start = performance.eventLoopUtilization();
  private startMs = performance.now();
  private isHigh = false;

  /** Returns true if the event loop was busy for more than half of the window. */
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
