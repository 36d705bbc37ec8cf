import { setTimeout as pause } from 'node:timers/promises';

/** Stands for the result of a late probe. */
const LATE = Symbol('late');

/** The interval of a probe, and the limit of its callers' wait. */
export interface ProbePace {
  readonly everyMs: number;
  readonly patienceMs: number;
}

/** Runs a check for any number of callers: one at a time, and at most once in `everyMs`. */
export class Probe {
  private running: Promise<Error | null> | null = null;
  private isLate = false;
  private last: { readonly at: number; readonly failure: Error | null } | null = null;

  constructor(
    private readonly work: () => Promise<void>,
    private readonly pace: ProbePace = { everyMs: 1000, patienceMs: 3000 },
  ) {}

  /**
   * Returns why the check fails, null when it succeeds. A check that takes longer than `patienceMs` goes on by itself, and
   * nobody waits for it any more.
   */
  async failure(): Promise<Error | null> {
    const { everyMs, patienceMs } = this.pace;
    if (this.last && performance.now() - this.last.at < everyMs) return this.last.failure;
    if (this.isLate) return this.late();
    const running = (this.running ??= this.run());
    const answered = new AbortController();
    const late = pause(patienceMs, LATE, { signal: answered.signal }).catch(() => LATE);
    const outcome = await Promise.race([running, late]);
    answered.abort();
    if (outcome !== LATE) return outcome as Error | null;
    this.isLate = this.running === running;
    return this.late();
  }

  private late(): Error {
    return new Error(`No answer within ${this.pace.patienceMs} ms`);
  }

  private async run(): Promise<Error | null> {
    const failure = await this.work().then(
      () => null,
      (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
    );
    this.last = { at: performance.now(), failure };
    this.running = null;
    this.isLate = false;
    return failure;
  }
}
