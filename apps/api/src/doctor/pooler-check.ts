import { inspectConnection, type ConnectionReport } from '@passwright/database';
import { poolerProblems } from '../pooler-problems.js';
import { unreachable } from './database-check.js';
import { type Check, type Finding, ok, problem } from './finding.js';

const modes: Readonly<Record<ConnectionReport['mode'], string>> = {
  direct: 'leads straight to Postgres',
  session: 'leads to a pooler in session mode',
  transaction: 'leads to a pooler in transaction mode',
};

/** Checks whether the addresses of the database lead to a pooler with a suitable setup. */
export const poolerCheck: Check = async ({ config, database }): Promise<Finding[]> => {
  const { url, pooled } = config.database;
  // Skip the check without a pooler, because `databaseCheck` reports a database that does not respond.
  if (!url || (!pooled && database.kind !== 'open')) return [];
  // Use the report of `databaseCheck` on the direct address. It also reports a failure of that address.
  const direct = database.kind === 'open' ? database.report : null;
  const report = pooled ? await inspectConnection(url).catch((error: unknown) => ({ error })) : direct;
  const findings: Finding[] = [];
  if (report && 'error' in report) findings.push(unreachable('DATABASE_URL', url, report.error));
  else if (report) findings.push(ok(`DATABASE_URL ${modes[report.mode]}.`));
  if (pooled && direct) findings.push(ok(`DATABASE_DIRECT_URL ${modes[direct.mode]}.`));
  if (!report || 'error' in report || !direct) return findings;
  const problems = poolerProblems({ url: report, direct: pooled ? direct : null }, config.database);
  return [...findings, ...problems.map(({ found, fix }) => problem(found, fix))];
};
