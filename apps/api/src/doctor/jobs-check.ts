import { queueTables, serviceName } from '@passwright/database';
import type { DataSource } from 'typeorm';
import { type Finding, type Installation, inProduction, ok, reasonOf, warning } from './finding.js';

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
