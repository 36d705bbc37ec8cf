import { Client } from 'pg';
import { isDatabaseUnavailable } from './temporary-errors.js';

/** The limit for asking one server. Within a cluster's own delay, so that a frozen server does not lengthen it. */
const PROBE_MS = 1500;

/** A server of a cluster. */
export interface Server {
  readonly host: string;
  readonly port: number;
}

/** The server accepts no writes: it is a standby, or was told to. Nothing is read from it either, as it may be behind. */
export class NotPrimary extends Error {
  readonly code = '25006';

  constructor() {
    super('The server is a standby, or read-only');
    this.name = 'NotPrimary';
  }
}

/** None of the servers of an address accepts writes now. The message says why not, for each. */
export class NoPrimary extends AggregateError {
  constructor(urls: readonly string[], errors: readonly Error[]) {
    const reasons = errors.map((error, at) => `${new URL(urls[at] ?? '').host}: ${error.message}`);
    super(errors, `No server accepts writes. ${reasons.join('; ')}`);
    this.name = 'NoPrimary';
  }
}

/**
 * Splits an address that names several servers, such as `postgres://user@db1:5432,db2:5432/name`.
 * Source: https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS
 * @returns an address for each server
 */
export function serverUrls(url: string): [string, ...string[]] {
  const [, start = '', hosts = '', rest = ''] = /^([a-z]+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? [];
  const [first, ...others] = hosts.split(',').map((host) => `${start}${host}${rest}`);
  return others.length > 0 ? [first as string, ...others] : [url];
}

/** Knows which of several servers accepts writes, and searches again once that has changed. */
export class Primary {
  private search: Promise<Server> | null = null;
  private found: Server | null = null;

  constructor(private readonly urls: readonly string[]) {}

  /** Connections that open at the same time share one search. @throws NoPrimary, or why a server rejects the role */
  find(): Promise<Server> {
    this.search ??= this.ask().catch((error: unknown) => {
      this.search = null;
      throw error;
    });
    return this.search;
  }

  /** Called when a connection to a server fails, or the server accepts no writes any more. */
  lost(server: Server): void {
    if (this.found === server) this.search = null;
  }

  /** Asks all servers at once, so that one that does not respond delays nothing while another accepts writes. */
  private async ask(): Promise<Server> {
    try {
      this.found = await Promise.any(this.urls.map(askServer));
      return this.found;
    } catch (error) {
      const { errors } = error as { errors: Error[] };
      throw errors.find((each) => !isDatabaseUnavailable(each)) ?? new NoPrimary(this.urls, errors);
    }
  }
}

/** @throws NotPrimary, or why the server cannot be asked */
async function askServer(url: string): Promise<Server> {
  const client = new Client({
    connectionString: url,
    application_name: 'passwright',
    connectionTimeoutMillis: PROBE_MS,
    query_timeout: PROBE_MS,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
    if (rows[0]?.transaction_read_only !== 'off') throw new NotPrimary();
    return { host: client.host, port: client.port };
  } finally {
    // A server that is frozen since does not answer this.
    void client.end().catch(() => undefined);
  }
}
