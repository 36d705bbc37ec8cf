/** Options of `DatabaseModule.forRoot`. */
export abstract class DatabaseOptions {
  /** `postgres://user:password@host:port/database`, Postgres 14 or newer. */
  abstract readonly url: string;
  /** The maximum number of connections of this process. */
  abstract readonly poolSize: number;
  /**
   * The time limit of a statement. Default: 30,000 ms. A connection that stays silent one second longer is replaced.
   */
  abstract readonly statementMs?: number;
}
