import { migrations, serverUrls, serviceName, queueTables } from '@passwright/database';
import type { DataSource } from 'typeorm';
import { adviceOnPrimaries, databaseAt } from '../prepare-database.js';
import { type Finding, type Installation, inProduction, ok, problem, reasonOf, warning } from './finding.js';

const OLDEST_SERVER = 14;
const SKEW_MS = 2000;
/** The code of `NotPrimary`: no server accepts writes. */
const NO_PRIMARY = '25006';

/**
 * Checks that the database is reachable, that its version and schema suit this release, and that its clock agrees with
 * this machine's.
 */
export async function databaseCheck(installation: Installation): Promise<Finding[]> {
  const { config, database } = installation;
  if (database.kind === 'none') {
    return [
      warning(
        `There is no database yet in ${config.dataDir}.`,
        'Start the service once, or set DATA_DIR or DATABASE_URL as the service has them.',
      ),
    ];
  }
  if (database.kind === 'failed') {
    const { url, directUrl, pooled } = config.database;
    if (url && directUrl)
      return [unreachable(pooled ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL', directUrl, database.error)];
    return [
      problem(`The embedded Postgres does not run: ${reasonOf(database.error)}.`, 'See its log in DATA_DIR/postgres.'),
    ];
  }
  const { source, report } = database;
  const findings = [...(await serverFindings(source)), ...(await schemaFindings(source))];
  if (!report) findings.push(embeddedFinding(installation));
  return findings;
}

function embeddedFinding(installation: Installation): Finding {
  return installation.config.production
    ? warning(
        'It is the embedded Postgres, which serves a single node and has no backups of its own.',
        'Set DATABASE_URL to a Postgres that you back up.',
      )
    : ok('It is the embedded Postgres of a single node.');
}

async function serverFindings(source: DataSource): Promise<Finding[]> {
  const sentAt = Date.now();
  const [server] = await source.query<{ number: number; name: string; now: Date }[]>(
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS name,
            clock_timestamp() AS now`,
  );
  const tookMs = Date.now() - sentAt;
  if (!server) throw new Error('the server reported nothing about itself');
  const skewMs = server.now.getTime() - (sentAt + tookMs / 2);
  return [
    server.number >= OLDEST_SERVER * 10_000
      ? ok(`Postgres ${server.name} responds in ${tookMs} ms.`)
      : problem(`The server is Postgres ${server.name}.`, `Upgrade it: the service needs ${OLDEST_SERVER} or newer.`),
    Math.abs(skewMs) <= SKEW_MS + tookMs
      ? ok('The clocks of this machine and of the database agree.')
      : warning(
          `The clock of the database is ${seconds(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead of' : 'behind'} that of this machine.`,
          'Keep both by NTP: updates, expiry and tokens depend on them.',
        ),
  ];
}

async function schemaFindings(source: DataSource): Promise<Finding[]> {
  const [table] = await source.query<{ there: boolean }[]>(`SELECT to_regclass('migration') IS NOT NULL AS there`);
  const applied = table?.there ? await source.query<{ name: string }[]>('SELECT name FROM migration') : [];
  const names = new Set(applied.map(({ name }) => name));
  const known = migrations.map(({ name }) => name);
  const missing = known.filter((name) => !names.has(name));
  const unknown = [...names].filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    return [
      problem(
        `The schema is of a newer version: ${unknown.join(', ')}.`,
        'Run this command, and every node, from that newer version.',
      ),
    ];
  }
  if (missing.length === 0) return [ok(`The schema is that of this version (${known.length} migrations).`)];
  return [
    problem(
      `The schema lacks ${missing.length} of ${known.length} migrations: ${missing.join(', ')}.`,
      'Start this version of the service once: it brings the schema up to date.',
    ),
  ];
}

/** Reports why the database that a variable names does not respond. */
export function unreachable(variable: string, url: string, error: unknown): Finding {
  const reason = reasonOf(error);
  const { pathname, username } = new URL(serverUrls(url)[0]);
  const where = databaseAt(url);
  const { code } = error as NodeJS.ErrnoException;
  if (code?.startsWith('28')) {
    return problem(`${where} refuses the role ${username}: ${reason}.`, `Check user and password of ${variable}.`);
  }
  if (code === '3D000') {
    return problem(`${where} does not exist.`, `Create it: CREATE DATABASE ${pathname.slice(1)} OWNER ${username};`);
  }
  const advice = adviceOnPrimaries(variable, error);
  if (advice) return problem(`${where} cannot be used: ${reason}.`, advice);
  if (code === NO_PRIMARY) {
    return problem(
      `${where} cannot be used: ${reason}.`,
      `Name the primary in ${variable}, or promote a standby that it names.`,
    );
  }
  return problem(
    `${where} cannot be reached: ${reason}.`,
    `Check host and port of ${variable}, that the server runs, and that nothing between blocks the port.`,
  );
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}

/** Checks for background jobs that no node runs, that wait too long, or that have failed for good. */
export async function jobsCheck(installation: Installation): Promise<Finding[]> {
  const { database } = installation;
  if (database.kind !== 'open') return [];
  const { source } = database;
  const tables = queueTables(installation.config.database.schema);
  const [queue] = await source.query<{ there: boolean }[]>(`SELECT to_regclass('${tables.jobs}') IS NOT NULL AS there`);
  if (!queue?.there) return [];
  const [late] = await source.query<{ jobs: number; seconds: number }[]>(
    `SELECT count(*)::int AS jobs, COALESCE(extract(epoch FROM now() - min(run_at)), 0)::int AS seconds
       FROM (SELECT run_at FROM ${tables.jobs}
              WHERE is_available AND run_at < now() - interval '5 minutes' ORDER BY run_at LIMIT 10000) AS waiting`,
  );
  const failed = await source.query<{ task: string; jobs: number; error: string | null }[]>(
    `SELECT task.identifier AS task, count(*)::int AS jobs, max(left(job.last_error, 120)) AS error
       FROM (SELECT task_id, last_error FROM ${tables.jobs}
              WHERE NOT is_available AND locked_by IS NULL LIMIT 10000) AS job
       JOIN ${tables.tasks} task ON task.id = job.task_id
      GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5`,
  );
  return [
    ...(await runnerFindings(installation, source)),
    ...lateFindings(installation, late),
    ...failed.map(failedFinding),
  ];
}

/** Checks that a node runs jobs, unless this one does. */
async function runnerFindings(installation: Installation, source: DataSource): Promise<Finding[]> {
  const { role, database } = installation.config;
  if (role !== 'api') return [];
  const [connections] = await source.query<[{ count: number }]>(
    `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1`,
    [`${serviceName(database.schema)} jobs`],
  );
  if (connections.count > 0) return [ok('Another node runs the jobs of this node with ROLE=api.')];
  const fix = 'Start a node with ROLE=worker or ROLE=all: pushes, mails, webhooks and schedules wait for it.';
  return [inProduction(installation, 'This node has ROLE=api, and no other node runs jobs.', fix)];
}

function lateFindings(installation: Installation, late: { jobs: number; seconds: number } | undefined): Finding[] {
  if (!late || late.jobs === 0) return [ok('No job has been waiting for more than five minutes.')];
  const found = `${late.jobs} jobs are due and wait, the oldest for ${Math.round(late.seconds / 60)} minutes.`;
  return [
    inProduction(
      installation,
      found,
      'Is the service running? Pushes, mails and Google Wallet wait for these jobs; its log says why they fail.',
    ),
  ];
}

function failedFinding({ task, jobs, error }: { task: string; jobs: number; error: string | null }): Finding {
  // Hide addresses, because a mail server names the recipients that it rejects, and users share the doctor's output.
  const why = error && reasonOf({ message: error }).replace(/(?<![^\s<>"'@])[^\s<>"'@]+@[^\s<>"']+/g, '…@…');
  const found = `${jobs} jobs "${task}" have failed for good${why ? `: ${why}` : ''}.`;
  return warning(found, 'See the service’s log for that job. They are deleted after 30 days.');
}
