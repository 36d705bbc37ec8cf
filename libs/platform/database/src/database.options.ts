/** What `DatabaseModule.forRoot` takes. */
export abstract class DatabaseOptions {
  /** `postgres://user:password@host:port/database`, Postgres 14 or newer. */
  abstract readonly url: string;
  /** Connections this process holds at most. */
  abstract readonly poolSize: number;
  /** Limit of a statement. Default 30,000 ms. A connection that is silent a second longer is replaced. */
  abstract readonly statementMs?: number;
}
