/** What `JobsModule.forRoot` takes. */
export abstract class JobsOptions {
  /** The database that `DatabaseModule` uses, over a connection that is the process's own: no pooler by transaction. */
  abstract readonly url: string;
  /** False: this process adds jobs and leaves it to others to run them. Default true. */
  abstract readonly run?: boolean;
  /** How long a process must be gone before others run its jobs. Default 6,000 ms. */
  abstract readonly abandonedAfterMs?: number;
  /** How long running jobs may take to end at shutdown. Default 5,000 ms. */
  abstract readonly stopWithinMs?: number;
}
