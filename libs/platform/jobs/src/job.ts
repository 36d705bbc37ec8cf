import type { Lane } from './lanes.js';

/**
 * Work that must follow a commit. `Jobs.add` adds it in the transaction that causes it. Afterwards, the method marked
 * `@JobHandler(TheJob)` runs it at least once, on any node. The payload is JSON.
 */
export abstract class Job<Payload extends object = object> {
  /**
   * Waiting jobs of one class and key merge: the latest replaces the others, including their times, unless the class
   * has `runsAtEarliest`. At most 400 characters.
   */
  readonly key?: string | undefined;
  /** The earliest time to run. Default: immediately. */
  readonly runAt?: Date | undefined;

  constructor(readonly payload: Payload) {}
}

/** The maximum number of attempts at a job, which is that of graphile-worker too. They are spread over four days. */
export const DEFAULT_MAX_ATTEMPTS = 25;

/** A class of jobs. `task` is its name in the queue, `<noun>.<what happened>`, and must never change. */
export interface JobClass<Payload extends object = object> {
  new (...args: never[]): Job<Payload>;
  readonly task: string;
  /** The maximum number of attempts, including those that a crash ended. Default: `DEFAULT_MAX_ATTEMPTS`. */
  readonly maxAttempts?: number;
  /** The lane in which the job runs. Default: `background`. */
  readonly lane?: Lane;
  /** True if the job runs before the waiting jobs of other classes in its lane, because a user waits for it. */
  readonly isUrgent?: boolean;
  /** True if merged jobs run at the earliest of their times. */
  readonly runsAtEarliest?: boolean;
}

/** The context of a run, which the handler gets after the payload. */
export interface JobContext {
  /**
   * Aborts when this run must end, because the process stops or another process may soon take the job. A long handler
   * calls `signal.throwIfAborted()` between its steps, and the job soon runs again. A handler that returns has
   * completed its job.
   */
  readonly signal: AbortSignal;
}

/** A handler of jobs or a scheduled method, with its lane. */
export interface JobTask {
  readonly run: (payload: unknown, context: JobContext) => Promise<void>;
  readonly lane: Lane;
}
