/** Options of `JobsModule.forRoot`. */
export abstract class JobsOptions {
  /**
   * The address of the database that `DatabaseModule` uses. It must lead to the server or to a pooler in session mode.
   * The queue follows the `schema` of that module.
   */
  abstract readonly url: string;
  /** If false, this process adds jobs without running any. Default: true. */
  abstract readonly run?: boolean;
  /** How long a process must be missing before others run its jobs. Default: 6,000 ms. */
  abstract readonly abandonedAfterMs?: number;
  /** How long running jobs may take to end at shutdown. Default: 5,000 ms. */
  abstract readonly stopWithinMs?: number;
}
