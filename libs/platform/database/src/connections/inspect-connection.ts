import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { neededSettings, serviceClient } from './service-client.js';

const LIMIT_MS = 5000;
/**
 * A client that changes no settings. Behind a pooler, other clients use the same connection and would get these
 * settings.
 */
const ClientOfPrimary = serviceClient(LIMIT_MS, { pooled: true });
const ClientOfStandby = serviceClient(LIMIT_MS, { pooled: true, standby: true });

/**
 * The number of attempts to find a pooler's mode. An attempt fails if another client takes the connection that the test
 * needs.
 */
const ROUNDS = 3;
/** The SQL states of two errors: the prepared statement is unknown, or another client has already prepared it. */
const LOST = /^(26000|42P05)$/;

/**
 * The server session of a connection. `direct`: its own. `session`: lent by a pooler until the client disconnects.
 * `transaction`: lent by a pooler for each transaction.
 */
export type ConnectionMode = 'direct' | 'session' | 'transaction';

/** The properties of a new connection to the database, before it changes any setting. */
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
   * The role's own setting, even if another client has changed the setting of the session. False if the server cannot
   * compile.
   */
  readonly jit: boolean;
  /** The time limit of a statement; 0 for no limit. */
  readonly statementMs: number;
  readonly idleInTransactionMs: number;
  readonly searchPath: string;
  /** The settings of new sessions with which the service would misread values, and the values that it needs. */
  readonly wrongSettings: readonly WrongSetting[];
}

/** A setting with a value that the service cannot work with. */
export interface WrongSetting {
  readonly name: string;
  readonly value: string;
  /** The value that the service needs, quoted for SQL. */
  readonly needed: string;
}

/** The rows of `neededSettings` for a VALUES list. */
const neededRows = neededSettings
  .map((row) => `(${row.map((text) => `'${text.replaceAll(`'`, `''`)}'`).join(', ')})`)
  .join(', ');

/**
 * Reads the settings that a new session starts with, because another client of the pooler may have changed the settings
 * of this session. Ignores settings that the pooler makes (connect_query).
 */
const settingsSql = `
  SELECT (SELECT system_identifier FROM pg_control_system()) || '.' ||
      (SELECT oid FROM pg_database WHERE datname = current_database()) AS server,
    format('%I', current_user) AS role, format('%I', current_database()) AS database,
    (SELECT CASE set_config('jit', reset_val, true) WHEN 'on' THEN pg_jit_available() ELSE false END
      FROM pg_settings WHERE name = 'jit') AS jit,
    (SELECT reset_val::int FROM pg_settings WHERE name = 'statement_timeout') AS "statementMs",
    (SELECT reset_val::int FROM pg_settings WHERE name = 'idle_in_transaction_session_timeout') AS "idleInTransactionMs",
    (SELECT reset_val FROM pg_settings WHERE name = 'search_path') AS "searchPath",
    (SELECT coalesce(json_agg(json_build_object('name', s.name, 'value', s.reset_val, 'needed', s.needed)), '[]') FROM (
      SELECT name, reset_val, needed FROM pg_settings
      JOIN (VALUES ${neededRows}) AS n (setting_name, pattern, needed) ON name = setting_name
      WHERE reset_val !~ pattern ORDER BY name) AS s) AS "wrongSettings"`;

/**
 * Tests whether `url` leads to the server or to a pooler, and in which mode the pooler is. Leaves all settings
 * unchanged.
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
    // Postgres gives each client the id of the process that serves it. A pooler gives another id.
    const isDirect = (await pidOf(first)) === (first as unknown as { processID: number }).processID;
    if (isDirect) return { ...settings, mode: 'direct', keepsPreparedStatements: true };
    await second.connect();
    return { ...settings, ...(await modeOfPooler(first, second)) };
  } finally {
    await Promise.all([first, second].map((client) => client.end().catch(() => undefined)));
  }
}

/** Tests the mode with two clients. In session mode, each client keeps its session and its prepared statements. */
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

/**
 * @returns true if a client does not keep a session of its own.
 * @throws Error if a prepared statement is lost
 */
async function sharesSessions(first: Client, second: Client): Promise<boolean> {
  const name = `inspect ${randomUUID()}`;
  const own = await pidOf(first, name);
  // The pooler has taken another connection, because it uses its connections in rotation.
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
