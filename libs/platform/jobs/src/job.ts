import type { Lane } from './lanes.js';

/**
 * Work that must follow a commit. `Jobs.add` adds it in the transaction of the change that causes it. The method marked
 * `@JobHandler(TheJob)` runs it afterwards, at least once, on any node. The class names the task; the payload is JSON.
 */
export abstract class Job<Payload extends object = object> {
  /**
   * Jobs of one class and key that have not begun merge into one: the latest replaces the others, including their
   * times, unless the class has `runsAtEarliest`. At most 400 characters.
   */
  readonly key?: string | undefined;
  /** The earliest time to run. Default: immediately. */
  readonly runAt?: Date | undefined;

  constructor(readonly payload: Payload) {}
}

/** A class of jobs. `task` is its name in the queue, `<noun>.<what happened>`, and must never change. */
export interface JobClass<Payload extends object = object> {
  new (...args: never[]): Job<Payload>;
  readonly task: string;
  /**
   * The maximum number of attempts, including those that ended with the process. Default: 25, spread over four days.
   */
  readonly maxAttempts?: number;
  /** The lane in which the job runs. Default: `background`. */
  readonly lane?: Lane;
  /** True if merged jobs run at the earliest of their times, so that no job postpones the work of another. */
  readonly runsAtEarliest?: boolean;
}

/** The context of a run, passed to the handler after the payload. */
export interface JobContext {
  /**
   * Aborts when this run must end: the process stops, or it has lost the database for so long that another process may
   * take the job. A long handler calls `signal.throwIfAborted()` between its steps, and the job soon runs again. A
   * handler that simply returns has completed its job.
   */
  readonly signal: AbortSignal;
}

/** A handler of jobs or a scheduled method, with the lane it runs in. */
export interface JobTask {
  readonly run: (payload: unknown, context: JobContext) => Promise<void>;
  readonly lane: Lane;
}
