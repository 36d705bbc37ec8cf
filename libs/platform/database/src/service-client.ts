import type { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';
import { HeldStatements } from './held-statements.js';
import { JoinedQuery, type Statement } from './joined-query.js';
import { DatabaseRefused, isDatabaseUnavailable } from './unavailable.js';

/** The default limit of a statement. */
export const STATEMENT_MS = 30_000;
/** Limit for opening a connection, and for waiting for one. */
export const CONNECT_MS = 5000;
/** Postgres ends a statement at its limit; a server that is silent for this much longer is gone. */
const GRACE_MS = 1000;
/** An idle connection is probed after this long; its end is noticed ten seconds later. */
const KEEP_ALIVE_MS = 5000;
const IDLE_IN_TRANSACTION_MS = 60_000;

/** The server, or the way to it, does not answer. */
export class DatabaseSilent extends Error {
  readonly code = 'ETIMEDOUT';

  constructor(afterMs: number) {
    super(`Postgres has not answered for ${afterMs} ms; its connection was given up`);
    this.name = 'DatabaseSilent';
  }
}

/** The open connections of one pool, and their limits. */
class Connections {
  readonly open = new Set<ServiceClient>();

  constructor(
    readonly statementMs: number,
    private readonly lockMs: number | null,
  ) {}

  /** The first statements of each connection. */
  get session(): string {
    return `SET jit = off; SET statement_timeout = ${this.statementMs};
      SET idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS};
      ${this.lockMs === null ? '' : `SET lock_timeout = ${this.lockMs}`}`;
  }
}

/** One connection, which is given up when it is silent. */
class ServiceClient extends Client {
  private silence: NodeJS.Timeout | null = null;

  constructor(
    private readonly connections: Connections,
    config: string | ClientConfig,
  ) {
    super({
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      connectionTimeoutMillis: CONNECT_MS,
      ...(typeof config === 'string' ? { connectionString: config } : config),
    });
    // A connection that breaks while nothing listens is no reason to end the process.
    this.on('error', () => undefined);
    this.once('end', () => {
      this.heard();
      connections.open.delete(this);
    });
    this.on('drain', () => this.heard());
    if (connections.statementMs > 0) this.watchQueries();
    this.joinStatements();
    this.takeTurns();
  }

  override connect(): Promise<Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<Client> | void {
    const connected = this.open();
    if (!callback) return connected;
    // pg-pool looks whether there is an error.
    connected.then(() => callback(undefined as unknown as Error), callback);
  }

  /** @throws DatabaseRefused when the server answers, and takes no connection */
  private async open(): Promise<Client> {
    await super.connect().catch(throwRefused);
    this.connections.open.add(this);
    try {
      await this.query(this.connections.session);
    } catch (error) {
      this.destroy(error as Error);
      throwRefused(error);
    }
    return this;
  }

  /** Each query starts the clock, and each answer starts it anew while others wait. */
  private watchQueries(): void {
    const ask = this.query.bind(this) as (...args: unknown[]) => unknown;
    const query = (...args: unknown[]) => {
      this.silence ??= setTimeout(() => this.giveUp(), this.connections.statementMs + GRACE_MS);
      return ask(...args);
    };
    Object.assign(this, { query });
    (this.connection as unknown as NodeJS.EventEmitter).on('readyForQuery', () => this.silence?.refresh());
  }

  /** Sends what begins a transaction or ends a savepoint together with the statement after it. */
  private joinStatements(): void {
    const held = new HeldStatements();
    const ask = this.query.bind(this) as (...args: unknown[]) => unknown;
    const join = (statement: Statement): Promise<unknown> =>
      new Promise((resolve, reject) => {
        ask(new JoinedQuery(held.take(), statement, (error, result) => (error ? reject(error) : resolve(result))));
      });
    const query = (...args: unknown[]): unknown => {
      const statement = statementOf(args);
      // Streams, and callers with a callback, have no transaction that TypeORM has begun.
      if (!statement) return ask(...args);
      if (held.hold(statement)) return Promise.resolve(nothing);
      if (statement.text === 'COMMIT') return join(statement).then(requireCommitted);
      if (held.isEmpty) return ask(...args);
      if (!isScript(statement)) return join(statement).catch(withStack);
      return join({ text: 'SELECT' }).then(() => ask(...args));
    };
    Object.assign(this, { query });
  }

  /** Sends one statement after the other: reads that a transaction is asked for at once share its connection, and pg warns of a queue. */
  private takeTurns(): void {
    const ask = this.query.bind(this) as (...args: unknown[]) => Promise<unknown>;
    let last: Promise<void> | null = null;
    const query = (...args: unknown[]): Promise<unknown> => {
      if (!statementOf(args)) return ask(...args);
      const result = last ? last.then(() => ask(...args)) : ask(...args);
      const end = () => {
        if (last === settled) last = null;
      };
      const settled: Promise<void> = result.then(end, end);
      last = settled;
      return result;
    };
    Object.assign(this, { query });
  }

  private heard(): void {
    if (this.silence) clearTimeout(this.silence);
    this.silence = null;
  }

  private giveUp(): void {
    const lost = new DatabaseSilent(this.connections.statementMs + GRACE_MS);
    for (const client of this.connections.open) if (client === this || !client.silence) client.destroy(lost);
  }

  private destroy(reason: Error): void {
    (this.connection as unknown as { stream: Socket }).stream.destroy(reason);
  }
}

function throwRefused(error: unknown): never {
  throw isDatabaseUnavailable(error) ? error : new DatabaseRefused(error as Error);
}

/** The result of a statement that was not sent yet. */
const nothing = { rows: [], fields: [], rowCount: null, command: '' };

/** Returns null for what is no plain statement with a promise. */
function statementOf([config, values, callback]: readonly unknown[]): Statement | null {
  if (callback !== undefined || typeof values === 'function') return null;
  const statement = typeof config === 'string' ? { text: config } : (config as Statement & { submit?: unknown });
  if ('submit' in statement) return null;
  return Array.isArray(values) ? { ...statement, values } : statement;
}

/** Tells whether a text may hold several statements: these must be sent alone. */
function isScript({ text, values }: Statement): boolean {
  return !values?.length && text.includes(';');
}

/** Postgres rolls a transaction back of which a statement has failed, and does not call that an error of its COMMIT. */
function requireCommitted<R>(result: R): R {
  if ((result as { command?: string }).command === 'COMMIT') return result;
  throw new Error(
    'The transaction was rolled back at its COMMIT: a statement of it had failed, and the failure was caught',
  );
}

/** Adds the caller's stack to an error, as pg's own promises do. */
function withStack(error: Error): never {
  Error.captureStackTrace(error);
  throw error;
}

/**
 * Makes the class of connections for one pool, or for one connection of its own.
 *
 * - JIT is off: our statements are short, and compiling one takes longer than running it.
 * - Postgres ends statements after `statementMs`. A connection that is silent even longer is destroyed, and so are the
 *   pool's idle ones, which the same fault has probably cut off.
 * - Limits are set after connecting: PgBouncer refuses them as startup parameters.
 *
 * @param statementMs 0 for statements of any length, such as migrations
 * @param lockMs how long a statement waits for a lock; null: as the role or the server says
 */
export function serviceClient(
  statementMs: number,
  lockMs: number | null = null,
): new (config?: string | ClientConfig) => Client {
  const connections = new Connections(statementMs, lockMs);
  return class extends ServiceClient {
    constructor(config: string | ClientConfig = {}) {
      super(connections, config);
    }
  };
}
