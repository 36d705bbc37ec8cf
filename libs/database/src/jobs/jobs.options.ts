/** What `JobsModule.forRoot` takes. */
export abstract class JobsOptions {
  /** The database that `DatabaseModule` uses. */
  abstract readonly url: string;
}
