import { currentTrace, linkTrace } from '@passwright/core';
import { FairScheduler, type FairSchedulerOptions, type SliceEnd } from './fair-scheduler.js';
import { SlowShares } from './slow-shares.js';

/** Runs one `FairScheduler` at a time on a node. A job that arrives meanwhile hands its work to the running one. */
export class OutboundRunner<Key> {
  private running: FairScheduler<Key> | null = null;
  /** The trace in which the running scheduler works. */
  private trace: string | undefined;
  private readonly slow: SlowShares;

  constructor(private readonly options: FairSchedulerOptions<Key>) {
    this.slow = new SlowShares(options.clock);
  }

  /**
   * Hands work to the running scheduler, or starts one and waits for its end.
   * @param hand hands the work over; returns false if the scheduler accepts no more
   * @returns the end of the started scheduler; null if a running one does the work
   */
  async run(signal: AbortSignal, hand: (scheduler: FairScheduler<Key>) => boolean): Promise<SliceEnd<Key> | null> {
    if (this.running && hand(this.running)) {
      linkTrace(this.trace);
      return null;
    }
    const scheduler = new FairScheduler(this.options, signal, this.slow);
    this.running = scheduler;
    this.trace = currentTrace();
    hand(scheduler);
    try {
      return await scheduler.ended;
    } finally {
      // After the time slice, another scheduler may have started while the last turns ended.
      if (this.running === scheduler) this.running = null;
    }
  }
}
