import type { ConnectionReport } from '@passwright/database';
import type { DatabaseConfig } from './config/database-config.js';

/** A missing or wrong setting for a pooler, and the remedy, each as a sentence. */
export interface PoolerProblem {
  readonly found: string;
  readonly fix: string;
}

/** The servers or poolers to which DATABASE_URL and DATABASE_DIRECT_URL lead. */
export interface ConnectionReports {
  readonly url: ConnectionReport;
  /** Null if all connections lead to `url`. */
  readonly direct: ConnectionReport | null;
}

/** Lists the settings that must change before the service can work over these connections. */
export function poolerProblems(
  { url, direct }: ConnectionReports,
  { preparedStatements, statementMs, schema }: Pick<DatabaseConfig, 'preparedStatements' | 'statementMs' | 'schema'>,
): PoolerProblem[] {
  const problems: PoolerProblem[] = [];
  if (!direct && url.mode === 'transaction') {
    const found =
      'DATABASE_URL leads to a pooler in transaction mode, but jobs, migrations and locks need sessions of their own.';
    const fix = 'Set DATABASE_DIRECT_URL to the address of the server itself, or of a pooler in session mode.';
    problems.push({ found, fix });
  }
  if (direct?.mode === 'transaction') {
    const found = 'DATABASE_DIRECT_URL leads to a pooler in transaction mode.';
    problems.push({ found, fix: 'Set it to the address of the server itself, or of a pooler in session mode.' });
  }
  if (direct && direct.server !== url.server) {
    const found = 'DATABASE_URL and DATABASE_DIRECT_URL lead to different databases.';
    problems.push({ found, fix: 'Set both to the same one.' });
  }
  if (!url.keepsPreparedStatements && preparedStatements) {
    const found = 'The pooler of DATABASE_URL loses prepared statements.';
    const fix = 'Set DATABASE_PREPARED_STATEMENTS=off, or set max_prepared_statements in PgBouncer 1.21 or newer.';
    problems.push({ found, fix });
  }
  if (direct) {
    problems.push(...limitProblems(url, statementMs), ...schemaProblems(url, schema), ...settingProblems(url));
  }
  return problems;
}

/**
 * Reports settings of the role with which the service would misread values. The service cannot set them through a
 * pooler.
 */
function settingProblems(report: ConnectionReport): PoolerProblem[] {
  const { wrongSettings } = report;
  if (wrongSettings.length === 0) return [];
  const found = wrongSettings.map(({ name, value }) => `${name} is ${value}`).join(', ');
  const settings = wrongSettings.map(({ name, needed }) => [name, needed] as const);
  return [
    {
      found: `The connections of DATABASE_URL have settings that the service cannot work with: ${found}.`,
      fix: setForRole(report, settings),
    },
  ];
}

/** Reports a role without the search_path of the schema, because the service cannot set it through the pooler. */
function schemaProblems(report: ConnectionReport, schema: string | null): PoolerProblem[] {
  if (schema === null || report.searchPath.replaceAll('"', '') === schema) return [];
  return [
    {
      found: `The connections of DATABASE_URL look for tables in ${report.searchPath}, but DATABASE_SCHEMA is ${schema}.`,
      fix: setForRole(report, [['search_path', `"${schema}"`]]),
    },
  ];
}

/** Lists missing time limits of the role, because the service sets none through the pooler. */
function limitProblems(report: ConnectionReport, statementMs: number): PoolerProblem[] {
  const isLimited = report.statementMs > 0 && report.statementMs <= statementMs && report.idleInTransactionMs > 0;
  if (isLimited && !report.jit) return [];
  const settings = {
    jit: 'off',
    statement_timeout: `'${statementMs / 1000}s'`,
    idle_in_transaction_session_timeout: `'60s'`,
  };
  const now =
    `JIT is ${report.jit ? 'on' : 'off'}, statement_timeout is ${report.statementMs} ms, ` +
    `idle_in_transaction_session_timeout is ${report.idleInTransactionMs} ms`;
  return [
    {
      found: `The connections of DATABASE_URL lack their limits: ${now}.`,
      fix:
        setForRole(report, Object.entries(settings)) +
        (report.mode === 'transaction' ? '' : '\nOr leave out DATABASE_DIRECT_URL, which only transaction mode needs.'),
    },
  ];
}

/** Returns the advice to give the role these settings. @param settings names and values, quoted for SQL */
function setForRole({ role, database }: ConnectionReport, settings: readonly (readonly [string, string])[]): string {
  const statements = settings.map(
    ([name, value]) => `ALTER ROLE ${role} IN DATABASE ${database} SET ${name} = ${value};`,
  );
  return ['Run this once, then have the pooler open new connections (RECONNECT in PgBouncer):', ...statements].join(
    '\n  ',
  );
}
