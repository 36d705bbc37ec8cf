import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { serviceClient } from './service-client.js';

const LIMIT_MS = 5000;
/**
 * A client that changes no settings. Behind a pooler, other clients use the same connection and would get these
 * settings.
 */
const ClientOfPrimary = serviceClient(LIMIT_MS, { pooled: true });
const ClientOfStandby = serviceClient(LIMIT_MS, { pooled: true, standby: true });

/**
 * The number of attempts to find a pooler's mode. An attempt fails if another client takes the connection that would
 * show the mode.
 */
const ROUNDS = 3;
/** The SQL states of two errors: the prepared statement is unknown, or another client has already prepared it. */
const LOST = /^(26000|42P05)$/;

/** The session of a connection: its own at the server, or one that a pooler lends for a session or a transaction. */
export type ConnectionMode = 'direct' | 'session' | 'transaction';

/** The behaviour of a connection to the database before the connection sets anything. */
export interface ConnectionReport {
  readonly mode: ConnectionMode;
  /** False if a pooler loses prepared statements between transactions. */
  readonly keepsPreparedStatements: boolean;
  /** Identifies the server and the database. */
  readonly server: string;
  /** The role and the database at the server, quoted for SQL. */
  readonly role: string;
  readonly database: string;
  /**
   * This and the next settings are those of the role, whatever other clients have set. `jit` is also false if the
   * server cannot compile.
   */
  readonly jit: boolean;
  /** The time limit of a statement; 0 for no limit. */
  readonly statementMs: number;
  readonly idleInTransactionMs: number;
  readonly searchPath: string;
}

/**
 * Reads the settings of a new session, because another client of the pooler may have changed the settings of this
 * session. So settings of the pooler itself (connect_query) are not read. Postgres reports JIT as available only if the
 * session has it on.
 */
const settingsSql = `
  SELECT (SELECT system_identifier FROM pg_control_system()) || '.' ||
      (SELECT oid FROM pg_database WHERE datname = current_database()) AS server,
    format('%I', current_user) AS role, format('%I', current_database()) AS database,
    (SELECT CASE set_config('jit', reset_val, true) WHEN 'on' THEN pg_jit_available() ELSE false END
      FROM pg_settings WHERE name = 'jit') AS jit,
    (SELECT reset_val::int FROM pg_settings WHERE name = 'statement_timeout') AS "statementMs",
    (SELECT reset_val::int FROM pg_settings WHERE name = 'idle_in_transaction_session_timeout') AS "idleInTransactionMs",
    (SELECT reset_val FROM pg_settings WHERE name = 'search_path') AS "searchPath"`;

/**
 * Finds out by trial if `url` leads to the server or to a pooler, and in which mode. Leaves no setting behind.
 * @param options.standby accepts a standby too
 * @throws if the database is unavailable: an error for which `isDatabaseUnavailable` returns true
 */
export async function inspectConnection(url: string, { standby = false } = {}): Promise<ConnectionReport> {
  const PlainClient = standby ? ClientOfStandby : ClientOfPrimary;
  const [first, second] = [new PlainClient(url), new PlainClient(url)];
  try {
    await first.connect();
    const { rows } = await first.query<Omit<ConnectionReport, 'mode' | 'keepsPreparedStatements'>>(settingsSql);
    const [settings] = rows;
    if (!settings) throw new Error('The server reported nothing about itself');
    // Postgres reports the process that serves a client. A pooler reports a number that it made up.
    const isDirect = (await pidOf(first)) === (first as unknown as { processID: number }).processID;
    if (isDirect) return { ...settings, mode: 'direct', keepsPreparedStatements: true };
    await second.connect();
    return { ...settings, ...(await modeOfPooler(first, second)) };
  } finally {
    await Promise.all([first, second].map((client) => client.end().catch(() => undefined)));
  }
}

/** Alternates between two clients. In session mode each keeps its session, and what it has prepared there. */
async function modeOfPooler(
  first: Client,
  second: Client,
): Promise<Pick<ConnectionReport, 'mode' | 'keepsPreparedStatements'>> {
  try {
    for (let round = 0; round < ROUNDS; round++) {
      if (await sharesSessions(first, second)) return { mode: 'transaction', keepsPreparedStatements: true };
    }
  } catch (error) {
    if (!LOST.test((error as { code?: string }).code ?? '')) throw error;
    return { mode: 'transaction', keepsPreparedStatements: false };
  }
  return { mode: 'session', keepsPreparedStatements: true };
}

/** @returns true if the first client's session changes or is given to the second one. @throws if a statement is lost */
async function sharesSessions(first: Client, second: Client): Promise<boolean> {
  const name = `inspect ${randomUUID()}`;
  const own = await pidOf(first, name);
  // A pooler that takes its connections in turn now uses another connection.
  if ((await pidOf(first, name)) !== own) return true;
  await second.query('BEGIN');
  try {
    return (await pidOf(second, name)) === own || (await pidOf(first, name)) !== own;
  } finally {
    await second.query('ROLLBACK');
  }
}

async function pidOf(client: Client, name?: string): Promise<number> {
  const { rows } = await client.query<{ pid: number }>({ name, text: 'SELECT pg_backend_pid() AS pid' });
  if (!rows[0]) throw new Error('The server reported no process');
  return rows[0].pid;
}
