import { setTimeout as pause } from 'node:timers/promises';

/** The result of a check that is still running. */
const LATE = Symbol('late');

/** The intervals between checks, and the longest wait of a caller. */
export class ProbePace {
  /** The minimum time between a successful check and the next one. */
  everyMs = 10_000;
  /** The minimum time between a failed check and the next one. */
  retryMs = 1000;
  timeoutMs = 3000;
  /** How long a bucket may fail before the node is no longer ready. */
  bucketGraceMs = 20_000;
}

/** Runs one check for all callers, never twice at the same time or more often than its pace allows. */
export class Probe {
  private running: Promise<Error | null> | null = null;
  private isLate = false;
  private last: { readonly at: number; readonly failure: Error | null } | null = null;

  private hasSucceeded = false;
  private failingSince: number | null = null;

  /** @param graceMs returns how long the probe tolerates failures after a success */
  constructor(
    private readonly work: () => Promise<void>,
    private readonly pace: Readonly<ProbePace>,
    private readonly graceMs: () => number = () => 0,
  ) {}

  /**
   * Returns why the check fails, or null if it succeeds. A caller waits at most `timeoutMs`; a slower check counts as
   * failed until it succeeds.
   */
  async failure(): Promise<Error | null> {
    const failure = await this.current();
    if (!failure) return null;
    this.failingSince ??= performance.now();
    const isTolerated = this.hasSucceeded && performance.now() - this.failingSince < this.graceMs();
    return isTolerated ? null : failure;
  }

  private async current(): Promise<Error | null> {
    const { everyMs, retryMs, timeoutMs } = this.pace;
    if (this.last && performance.now() - this.last.at < (this.last.failure ? retryMs : everyMs))
      return this.last.failure;
    if (this.isLate) return this.late();
    const running = (this.running ??= this.run());
    const responded = new AbortController();
    const late = pause(timeoutMs, LATE, { signal: responded.signal }).catch(() => LATE);
    const outcome = await Promise.race([running, late]);
    responded.abort();
    if (outcome !== LATE) return outcome as Error | null;
    this.isLate = this.running === running;
    return this.late();
  }

  private late(): Error {
    return new Error(`No response within ${this.pace.timeoutMs} ms`);
  }

  private async run(): Promise<Error | null> {
    const failure = await this.work().then(
      () => null,
      (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
    );
    this.last = { at: performance.now(), failure };
    if (!failure) {
      this.hasSucceeded = true;
      this.failingSince = null;
    }
    this.running = null;
    this.isLate = false;
    return failure;
  }
}
