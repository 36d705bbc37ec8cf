import type { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';

/** How long a statement may take unless the options say otherwise. */
export const STATEMENT_MS = 30_000;
/** How long a connection may take to open, and a request may wait for one. */
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

/** What the connections of one pool have in common. */
class Connections {
  readonly open = new Set<ServiceClient>();

  constructor(readonly statementMs: number) {}

  /** What each connection is told first. */
  get session(): string {
    return `SET jit = off; SET statement_timeout = ${this.statementMs};
      SET idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`;
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
  }

  override connect(): Promise<Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<Client> | void {
    const connected = this.open();
    if (!callback) return connected;
    // pg-pool looks whether there is an error.
    connected.then(() => callback(undefined as unknown as Error), callback);
  }

  private async open(): Promise<Client> {
    await super.connect();
    this.connections.open.add(this);
    try {
      await this.query(this.connections.session);
    } catch (error) {
      this.destroy(error as Error);
      throw error;
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

/**
 * Makes the class of connections for one pool, or for one connection of its own.
 *
 * - JIT is off: our statements are short, and compiling one takes longer than running it.
 * - Postgres ends statements after `statementMs`. A connection that is silent even longer is destroyed, and so are the
 *   pool's idle ones, which the same fault has probably cut off.
 * - Limits are set after connecting: PgBouncer refuses them as startup parameters.
 *
 * @param statementMs 0 for statements of any length, such as migrations
 */
export function serviceClient(statementMs: number): new (config?: string | ClientConfig) => Client {
  const connections = new Connections(statementMs);
  return class extends ServiceClient {
    constructor(config: string | ClientConfig = {}) {
      super(connections, config);
    }
  };
}
