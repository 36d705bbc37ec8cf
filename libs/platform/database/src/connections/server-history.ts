import { Client, DatabaseError } from 'pg';
import { socketWithSharedNames } from './host-name-look-ups.js';

/**
 *  The time limit for asking one server. Shorter than a failover, so that a frozen server does not delay the failover.
 */
const PROBE_MS = 1500;

/** Asks a server if it is a standby. */
export const followsSql = 'SELECT pg_is_in_recovery() AS follows';

/** The SQL states of a function that the server does not have, or does not allow. */
const NOT_ALLOWED = /^(42|0A)/;

/**
 * Asks a primary for its history. Reads the timeline of the WAL that it writes, because after a promotion,
 * pg_control_checkpoint() shows the old timeline until the first checkpoint.
 */
const historySql = `
  SELECT (SELECT system_identifier::text FROM pg_control_system()) AS cluster,
    ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint::float8 AS timeline,
    extract(epoch FROM pg_postmaster_start_time())::text AS "startedAt"`;

/** The history that a primary continues. */
export interface History {
  /** Identifies the cluster. */
  readonly cluster: string;
  /** The number of the WAL timeline. A promoted standby has a higher one than the former primary. */
  readonly timeline: number;
  /** When the server started, which distinguishes two servers of the same timeline. */
  readonly startedAt: string;
}

/** A server that accepts writes. */
export interface PrimaryServer {
  /** The address of this server alone. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Null if the server does not tell it, for example because a managed service has removed the functions. */
  readonly history: History | null;
}

/** The server is a standby or rejects writes. A standby serves no reads either, because its data may be behind. */
export class NotPrimary extends Error {
  readonly code = '25006';

  constructor(message = 'The server is a standby') {
    super(message);
    this.name = 'NotPrimary';
  }
}

/**
 * Asks a server if it is a primary.
 * @param name the `application_name` of the connection. @throws NotPrimary, or the error if the server cannot be asked
 */
export async function askServer(url: string, name: string): Promise<PrimaryServer> {
  const client = new Client({
    connectionString: url,
    stream: socketWithSharedNames,
    application_name: name,
    connectionTimeoutMillis: PROBE_MS,
    query_timeout: PROBE_MS,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ follows: boolean }>(followsSql);
    if (rows[0]?.follows !== false) throw new NotPrimary();
    return { url, host: client.host, port: client.port, history: await historyOf(client) };
  } finally {
    // Do not wait for the end of the connection, because the server may have frozen in the meantime.
    void client.end().catch(() => undefined);
  }
}

async function historyOf(client: Client): Promise<History | null> {
  try {
    return (await client.query<History>(historySql)).rows[0] ?? null;
  } catch (error) {
    if (error instanceof DatabaseError && NOT_ALLOWED.test(error.code ?? '')) return null;
    throw error;
  }
}
