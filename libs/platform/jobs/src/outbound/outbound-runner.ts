import { currentTrace, linkTrace } from '@passwright/core';
import { FairScheduler, type FairSchedulerOptions, type SliceEnd } from './fair-scheduler.js';
import { SlowShares } from './slow-shares.js';

/** Runs one `FairScheduler` at a time on a node. A later job passes its work to the running scheduler. */
export class OutboundRunner<Key> {
  private running: FairScheduler<Key> | null = null;
  /** The trace in which the running scheduler works. */
  private trace: string | undefined;
  private readonly slow: SlowShares;

  constructor(private readonly options: FairSchedulerOptions<Key>) {
    this.slow = new SlowShares(options.clock);
  }

  /**
   * Passes work to the running scheduler, or starts one and waits for its end.
   * @param hand passes the work on; returns false if the scheduler accepts no more
   * @returns the end of the started scheduler; null if another one does the work
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
      // Compare first, because another scheduler may already have started.
      if (this.running === scheduler) this.running = null;
    }
  }
}
