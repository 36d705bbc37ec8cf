/** What `JobsModule.forRoot` takes. */
export abstract class JobsOptions {
  /** The database that `DatabaseModule` uses. */
  abstract readonly url: string;
  /** False: this process adds jobs and leaves it to others to run them. Default true. */
  abstract readonly run?: boolean;
}
