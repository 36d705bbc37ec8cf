import type { Lane } from './lanes.js';

/**
 * What must follow a commit: added in the transaction of the change that asks for it (`Jobs.add`), run after it by the
 * method that is marked `@JobHandler(TheJob)`, at least once, on any node. Its class states the task; its payload is JSON.
 */
export abstract class Job<Payload extends object = object> {
  /** Jobs of one class with the same key that have not begun yet are one: the latest. At most 400 characters. */
  readonly key?: string;
  /** Not before then; at once without it. */
  readonly runAt?: Date;

  constructor(readonly payload: Payload) {}
}

/** A job's class: `task` is its stable name in the queue, `<noun>.<what happened>`. */
export interface JobClass<Payload extends object = object> {
  new (...args: never[]): Job<Payload>;
  readonly task: string;
  /** How often it is begun at most, a run that its process did not survive included. Default 25, over four days. */
  readonly maxAttempts?: number;
  /** The lane whose places it takes while it runs. Default `background`. */
  readonly lane?: Lane;
}

/** What a handler is given besides the payload. */
export interface JobContext {
  /**
   * Aborts when this run must end: the process is to stop, or it has lost the database for so long that another may take
   * the job. A long handler looks at it between its steps and throws (`signal.throwIfAborted()`): the job is then run again,
   * soon. One that just returns has done its job.
   */
  readonly signal: AbortSignal;
}
