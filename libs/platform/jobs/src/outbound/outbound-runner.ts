import { FairScheduler, type FairSchedulerOptions, type SliceEnd } from './fair-scheduler.js';

/** Runs one `FairScheduler` at a time on a node: a job that comes meanwhile hands its work to it. */
export class OutboundRunner<Key> {
  private running: FairScheduler<Key> | null = null;

  constructor(private readonly options: FairSchedulerOptions<Key>) {}

  /**
   * Hands work to the scheduler that runs, or starts one and waits for its end.
   * @param hand hands the work over; false when the scheduler takes no more
   * @returns the end of the started scheduler; null when another one does the work
   */
  async run(signal: AbortSignal, hand: (scheduler: FairScheduler<Key>) => boolean): Promise<SliceEnd<Key> | null> {
    if (this.running && hand(this.running)) return null;
    const scheduler = new FairScheduler(this.options, signal);
    this.running = scheduler;
    hand(scheduler);
    try {
      return await scheduler.ended;
    } finally {
      // Another one may have started after the time slice, while the last turns ended.
      if (this.running === scheduler) this.running = null;
    }
  }
}
