import { seeConnection, type SeenConnection } from '@passwright/database';
import { poolerProblems } from '../pooler-problems.js';
import { unreachable } from './database-check.js';
import { type Check, type Finding, ok, problem } from './finding.js';

const modes: Readonly<Record<SeenConnection['mode'], string>> = {
  direct: 'leads straight to Postgres',
  session: 'leads to a pooler in session mode',
  transaction: 'leads to a pooler in transaction mode',
};

/** Finds out what the addresses of the database lead to, and whether a pooler is set up as the service needs it. */
export const poolerCheck: Check = async ({ config, database }): Promise<Finding[]> => {
  const { url, pooled } = config.database;
  // Without a pooler, the check of the database reports why it does not answer.
  if (!url || (!pooled && database.kind !== 'open')) return [];
  // The check of the database has looked at the direct address, and reports why that does not answer.
  const direct = database.kind === 'open' ? database.seen : null;
  const seen = pooled ? await seeConnection(url).catch((error: unknown) => ({ error })) : direct;
  const findings: Finding[] = [];
  if (seen && 'error' in seen) findings.push(unreachable('DATABASE_URL', url, seen.error));
  else if (seen) findings.push(ok(`DATABASE_URL ${modes[seen.mode]}.`));
  if (pooled && direct) findings.push(ok(`DATABASE_DIRECT_URL ${modes[direct.mode]}.`));
  if (!seen || 'error' in seen || !direct) return findings;
  const problems = poolerProblems({ url: seen, direct: pooled ? direct : null }, config.database);
  return [...findings, ...problems.map(({ found, fix }) => problem(found, fix))];
};
