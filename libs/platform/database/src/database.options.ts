/** Options of `DatabaseModule.forRoot`. */
export abstract class DatabaseOptions {
  /**
   * `postgres://user:password@host:port/database`, Postgres 14 or newer. With several servers,
   * `host:port,host:port`, the primary is used.
   */
  abstract readonly url: string;
  /**
   * A hot standby of the database for reads, or a proxy in front of standbys: `postgres://…`. Default: all reads go to
   * the primary.
   */
  abstract readonly replicaUrl?: string | null;
  /** The maximum number of connections of this process to the primary; the same limit applies to the standby. */
  abstract readonly poolSize: number;
  /**
   * The time limit of a statement. Default: 30,000 ms. A connection that stays silent one second longer is replaced.
   */
  abstract readonly statementMs?: number;
  /**
   * True if `url` leads to a pooler in transaction mode. The connections then set nothing, so the role must have
   * `jit = off`, `statement_timeout` and `idle_in_transaction_session_timeout`. Default: false.
   */
  abstract readonly pooled?: boolean;
  /**
   * The schema of the tables, which `migrate` creates; the job queue gets a second schema, `…_queue`. With `pooled`,
   * the role must have `search_path` set to it. Default: the first schema of the role's `search_path`, normally
   * `public`.
   */
  abstract readonly schema?: string | null;
  /** False for a pooler that loses prepared statements. Frequent statements are then planned each time. Default: true. */
  abstract readonly preparedStatements?: boolean;
}
