import type { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';
import { socketWithSharedNames } from './host-name-look-ups.js';
import { askJoined, JoinedQuery } from './joined-query.js';
import { searchPathSql, serviceName } from './schema-names.js';
import { pipelined, type Rows } from './pipelined.js';
import { isNamed, withoutName } from './query-arguments.js';
import { StatementTurns } from './statement-turns.js';
import type { Statement } from './wire-query.js';
import type { NamedStatement } from '../pool-types.js';
import { ownParsers } from './value-parsers.js';
import { describeOnce, type KnownColumns } from './described-once.js';
import { followsSql, NotPrimary, type PrimaryServer } from './server-history.js';
import { type FoundConnection, Primary, serverUrls } from './primary.js';
import { type DatabaseSilent, type Responses, SilenceWatch } from './silence-watch.js';
import { DatabaseRejected, isDatabaseUnavailable, noteDatabaseError } from './temporary-errors.js';

/** The default time limit of a statement. */
export const STATEMENT_MS = 30_000;
/** The time limit for opening a connection, and for waiting for a free one. */
export const CONNECT_MS = 5000;
/** The idle time before a connection is probed. A dead connection is detected ten seconds later. */
const KEEP_ALIVE_MS = 5000;
const IDLE_IN_TRANSACTION_MS = 60_000;
/**
 * Settings that the code relies on, and that an operator may have changed for the role or the database: the name, a
 * pattern of suitable values, and the value to set, quoted for SQL. With another DateStyle, for example, pg cannot read
 * dates.
 */
export const neededSettings = [
  ['DateStyle', '^ISO', `'ISO'`],
  ['bytea_output', '^hex$', `'hex'`],
  ['extra_float_digits', '^[1-3]$', '1'],
  ['standard_conforming_strings', '^on$', 'on'],
  ['default_transaction_isolation', '^read committed$', `'read committed'`],
] as const;
const steadySql = neededSettings.map(([name, , value]) => `SET ${name} = ${value};`).join(' ');

/** Options of `serviceClient`. */
export interface ServiceClientOptions {
  /** How long a statement waits for a lock. Default: the setting of the role or the server. */
  readonly lockMs?: number;
  /** True for a pooler in transaction mode. The connections then set no limits, so the role must have them. */
  readonly pooled?: boolean;
  /** The only schema in which names are looked up. Default: the search_path of the role. Not with `pooled`. */
  readonly schema?: string | null;
  /** True for reads on a standby. Default: connections to a standby are rejected. */
  readonly standby?: boolean;
  /**
   * If false, sends every statement without its name, so that the server does not keep the statement. Default: true.
   */
  readonly preparedStatements?: boolean;
}

/** The open connections of one pool, and their limits. */
class Connections implements Responses {
  readonly open = new Set<ServiceClient>();
  heardAt = -Infinity;

  constructor(
    readonly statementMs: number,
    readonly options: ServiceClientOptions,
  ) {}

  /** The SET statements that each connection runs first; null if the connections must not set anything. */
  get session(): string | null {
    const { lockMs, pooled = false, schema = null } = this.options;
    if (pooled) return null;
    // A connection without a statement limit holds a lock or listens meanwhile, so the server must not end it as idle.
    const waits = this.statementMs === 0 ? 'SET idle_session_timeout = 0;' : '';
    return `SET jit = off; ${steadySql} ${searchPathSql(schema)} SET statement_timeout = ${this.statementMs};
      SET idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}; ${waits}
      ${lockMs === undefined ? '' : `SET lock_timeout = ${lockMs}`}`;
  }

  /** Returns the search for the server to connect to; null if the address names only one server. */
  primaryOf(url = '', name = serviceName(this.options.schema ?? null)): Primary | null {
    return this.options.standby ? null : Primary.of(url, name);
  }
}

/** One connection. It is abandoned when the server no longer responds. */
class ServiceClient extends Client implements FoundConnection {
  private readonly silence: SilenceWatch;
  private readonly primary: Primary | null;
  /** The server that the search has found; null if the address names only one server. */
  server: PrimaryServer | null = null;
  private isStandby = false;
  private readonly columns: KnownColumns;
  /** Sends a statement without waiting for earlier ones. */
  private readonly ask: (statement: object) => Promise<Rows>;

  constructor(
    private readonly connections: Connections,
    { connectionString: url, ...config }: ClientConfig,
  ) {
    super({
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      connectionTimeoutMillis: CONNECT_MS,
      stream: socketWithSharedNames,
      ...config,
      types: ownParsers,
      connectionString: url && serverUrls(url)[0],
    });
    this.silence = new SilenceWatch(connections, (silent) => this.giveUp(silent));
    this.primary = connections.primaryOf(url, config.application_name);
    (this.connection as unknown as NodeJS.EventEmitter).on('error', noteDatabaseError);
    // Handle errors of an idle connection, because an unhandled error would end the process.
    this.on('error', () => this.lost());
    this.watchRole();
    this.once('end', () => {
      this.silence.end();
      connections.open.delete(this);
      this.primary?.remove(this);
    });
    this.on('drain', () => this.silence.end());
    this.columns = describeOnce(this);
    if (connections.statementMs > 0) this.watchQueries();
    this.ask = this.query.bind(this);
    const turns = new StatementTurns(this.query.bind(this), this.columns);
    Object.assign(this, { query: turns.query.bind(turns) });
    if (connections.options.preparedStatements === false) this.omitNames();
  }

  override connect(): Promise<Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<Client> | void {
    const connected = this.open();
    if (!callback) return connected;
    // The result is not needed, because pg-pool checks only whether the callback gets an error.
    connected.then(() => callback(undefined as unknown as Error), callback);
  }

  /**
   * Opens the connection. @throws NotPrimary, NoPrimary, DatabaseRejected if the server responds but rejects the
   * connection
   */
  private async open(): Promise<Client> {
    try {
      await this.chooseServer();
      await super.connect();
      this.connections.open.add(this);
      await this.begin();
    } catch (caught) {
      const error = noteDatabaseError(caught as Error);
      this.lost();
      if (this.connections.open.has(this)) this.destroy(error);
      throw isDatabaseUnavailable(error) ? error : new DatabaseRejected(error);
    }
    return this;
  }

  private async chooseServer(): Promise<void> {
    this.server = (await this.primary?.find()) ?? null;
    if (this.server) Object.assign(this, { host: this.server.host, port: this.server.port });
    const { _ending: isEnding, connection } = this as unknown as { _ending: boolean; connection: { stream: Socket } };
    if (isEnding || connection.stream.destroyed) throw new Error('Connection terminated');
    this.primary?.add(this);
  }

  /**
   * Sets up the session and rejects a standby. Asks the server itself, because a pooler may report an outdated state.
   */
  private async begin(): Promise<void> {
    const { session, options } = this.connections;
    if (session === null && (options.standby || !this.isStandby)) return;
    type Result = { rows: { follows?: boolean }[] };
    const results = (await this.query(`${session ?? ''}; ${followsSql}`)) as unknown as Result | Result[];
    if ([results].flat().at(-1)?.rows[0]?.follows && !options.standby) throw new NotPrimary();
  }

  /**
   * Records whether the server reports that it is a standby (since Postgres 14). Closes the connection after a
   * read-only error, because the address may now lead to another server.
   */
  private watchRole(): void {
    const connection = this.connection as unknown as NodeJS.EventEmitter;
    connection.on('parameterStatus', ({ parameterName, parameterValue }: Record<string, string>) => {
      if (parameterName === 'in_hot_standby') this.isStandby = parameterValue === 'on';
    });
    connection.on('errorMessage', ({ code }: { code?: string }) => {
      // End the connection, because the server is read-only. The statement still fails with its own error.
      if (code === '25006') this.destroy(new NotPrimary('The server rejects writes'));
    });
  }

  leave(reason: NotPrimary): void {
    this.destroy(reason);
  }

  private lost(): void {
    if (this.server) this.primary?.lost(this.server);
  }

  private watchQueries(): void {
    const ask = this.query.bind(this) as (...args: unknown[]) => unknown;
    const query = (...args: unknown[]) => {
      const [statement] = args;
      this.silence.sent(statement instanceof JoinedQuery ? statement.slow : 0);
      return ask(...args);
    };
    Object.assign(this, { query });
    (this.connection as unknown as NodeJS.EventEmitter).on('readyForQuery', () => this.silence.responded());
  }

  /** Sends statements together, and waits for all. Needs a connection that is idle and in no transaction. */
  queryEach(statements: readonly NamedStatement[]): Promise<PromiseSettledResult<Rows>[]> {
    const isNameless = this.connections.options.preparedStatements === false;
    return pipelined(this, () => statements.map((each) => this.ask(isNameless ? withoutName(each) : each)));
  }

  /**
   * Sends two statements together. Without a BEGIN, Postgres makes them one transaction, which it commits before it
   * responds. Needs a connection that is idle and in no transaction. @returns the result of the second statement
   */
  async queryAfter(first: NamedStatement, statement: NamedStatement): Promise<Rows> {
    const isNameless = this.connections.options.preparedStatements === false;
    const [lock, last] = [first, statement].map((each) => {
      const sent = { name: each.name, text: each.text, values: [...each.values] };
      return isNameless ? withoutName(sent) : sent;
    }) as [Statement, Statement];
    const result = await askJoined(this.ask, this.columns, [{ held: true, ...lock }], last);
    if (this.getTransactionStatus() !== 'I')
      throw new Error('The statements have not committed: a transaction is open');
    return result as Rows;
  }

  /** Removes the name of each statement, so that the server does not keep it. */
  private omitNames(): void {
    const ask = this.query.bind(this) as (...args: unknown[]) => unknown;
    const query = (statement: unknown, ...rest: unknown[]) =>
      ask(isNamed(statement) ? withoutName(statement) : statement, ...rest);
    Object.assign(this, { query });
  }

  private giveUp(silent: DatabaseSilent): void {
    for (const client of this.connections.open)
      if (client === this || !client.silence.isWaiting) client.destroy(silent);
  }

  private destroy(reason: Error): void {
    (this.connection as unknown as { stream: Socket }).stream.destroy(reason);
  }
}

/**
 * Builds the connection class of one pool, or of one separate connection.
 *
 * - JIT is off: our statements are short, and compiling one takes longer than running it.
 * - Postgres ends statements after `statementMs`. If it does not, the client destroys the connection and the pool's
 *   idle connections.
 * - If the address names several servers, connections go to the primary. With `standby`, they go to the first server in
 *   the address.
 * - Limits are set after connecting, because PgBouncer rejects them as startup parameters. With `pooled`, nothing is
 *   set, because other clients share the settings.
 *
 * @param statementMs 0 for statements of any length, such as migrations
 */
export function serviceClient(
  statementMs: number,
  options: ServiceClientOptions = {},
): new (config?: string | ClientConfig) => Client {
  const connections = new Connections(statementMs, options);
  return class extends ServiceClient {
    constructor(config: string | ClientConfig = {}) {
      super(connections, typeof config === 'string' ? { connectionString: config } : config);
    }
  };
}
