/**
 * What must follow a commit: added in the transaction of the change that asks for it (`Jobs.add`), run after it by the
 * method that is marked `@JobHandler(TheJob)`, at least once, on any node. Its class states the task; its payload is JSON.
 */
export abstract class Job<Payload extends object = object> {
  /** Jobs of one class with the same key that have not begun yet are one. */
  readonly key?: string;
  /** Not before then; at once without it. */
  readonly runAt?: Date;

  constructor(readonly payload: Payload) {}
}

/** A job's class: `task` is its stable name in the queue, `<noun>.<what happened>`. */
export interface JobClass<Payload extends object = object> {
  new (...args: never[]): Job<Payload>;
  readonly task: string;
}

/** What a handler is given besides the payload. */
export interface JobContext {
  /** Aborts when the process is to stop: a long handler ends then, and its job is run again. */
  readonly signal: AbortSignal;
}
