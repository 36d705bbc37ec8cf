/** What `DatabaseModule.forRoot` takes. */
export abstract class DatabaseOptions {
  /** `postgres://user:password@host:port/database`, Postgres 14 or newer. */
  abstract readonly url: string;
  /** Connections this process holds at most. */
  abstract readonly poolSize: number;
}
