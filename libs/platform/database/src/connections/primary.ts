import { Client } from 'pg';
import { isDatabaseUnavailable, noteDatabaseError } from './temporary-errors.js';

/**
 *  The time limit for asking one server. Shorter than a failover, so that a frozen server does not delay the failover.
 */
const PROBE_MS = 1500;

/** Asks a server if it is a standby. */
export const followsSql = 'SELECT pg_is_in_recovery() AS follows';

/** A server of a cluster. */
export interface Server {
  readonly host: string;
  readonly port: number;
}

/** The server is a standby or rejects writes. A standby serves no reads either, because its data may be behind. */
export class NotPrimary extends Error {
  readonly code = '25006';

  constructor(message = 'The server is a standby') {
    super(message);
    this.name = 'NotPrimary';
  }
}

/** None of the servers of an address is the primary now. The message gives the reason for each. */
export class NoPrimary extends AggregateError {
  /** The SQL state or error code, if all servers have the same. */
  readonly code?: string;

  constructor(urls: readonly string[], errors: readonly Error[]) {
    const reasons = errors.map((error, at) => `${new URL(urls[at] ?? '').host}: ${error.message}`);
    super(errors, `No server is the primary. ${reasons.join('; ')}`);
    this.name = 'NoPrimary';
    const [code, ...others] = new Set(errors.map((error) => (error as NodeJS.ErrnoException).code));
    if (code !== undefined && others.length === 0) this.code = code;
  }
}

/**
 * Splits an address that names several servers, such as `postgres://user@db1:5432,db2:5432/name`.
 * Source: https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS
 * @returns an address for each server
 */
export function serverUrls(url: string): [string, ...string[]] {
  const [, start = '', hosts = '', rest = ''] = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/is.exec(url) ?? [];
  const [first, ...others] = hosts.split(',').map((host) => `${start}${host}${rest}`);
  return others.length > 0 ? [first as string, ...others] : [url];
}

/**
 * Knows which of several servers is the primary, and searches again when another server may have become the primary.
 */
export class Primary {
  /** The latest search, running or finished. */
  private search: Promise<Server> | null = null;
  /** The result of the latest search; null while it runs. */
  private found: Server | null = null;

  /** @param name the `application_name` of the connections that search for the primary */
  constructor(
    private readonly urls: readonly string[],
    private readonly name: string,
  ) {}

  /**
   * Finds the primary. Simultaneous calls share one search. @throws NoPrimary, or the error of a server that rejects
   * the role
   */
  find(): Promise<Server> {
    if (this.search) return this.search;
    const search = this.ask();
    this.search = search;
    search.then(
      (server) => {
        if (this.search === search) this.found = server;
      },
      () => {
        if (this.search === search) this.search = null;
      },
    );
    return search;
  }

  /** Called when a connection to a server fails, or the server rejects a write. */
  lost({ host, port }: Server): void {
    if (this.found?.host !== host || this.found.port !== port) return;
    this.found = null;
    this.search = null;
  }

  /**
   * Asks all servers simultaneously, so that a server that does not respond causes no delay if another one is the
   * primary.
   */
  private async ask(): Promise<Server> {
    try {
      return await Promise.any(this.urls.map((url) => askServer(url, this.name)));
    } catch (error) {
      const { errors } = error as { errors: Error[] };
      throw errors.find((each) => !isDatabaseUnavailable(noteDatabaseError(each))) ?? new NoPrimary(this.urls, errors);
    }
  }
}

/** @throws NotPrimary, or the error if the server cannot be asked */
async function askServer(url: string, name: string): Promise<Server> {
  const client = new Client({
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: PROBE_MS,
    query_timeout: PROBE_MS,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ follows: boolean }>(followsSql);
    if (rows[0]?.follows !== false) throw new NotPrimary();
    return { host: client.host, port: client.port };
  } finally {
    // Do not wait for the end of the connection, because the server may have frozen in the meantime.
    void client.end().catch(() => undefined);
  }
}
