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
  const { url, directUrl, pooled } = config.database;
  // Without a pooler, the check of the database reports why it does not answer.
  if (!url || !directUrl || (!pooled && database.kind !== 'open')) return [];
  try {
    const seen = { url: await seeConnection(url), direct: pooled ? await seeConnection(directUrl) : null };
    const problems = poolerProblems(seen, config.database);
    return [
      ok(`DATABASE_URL ${modes[seen.url.mode]}.`),
      ...(seen.direct ? [ok(`DATABASE_DIRECT_URL ${modes[seen.direct.mode]}.`)] : []),
      ...problems.map(({ found, fix }) => problem(found, fix)),
    ];
  } catch (error) {
    return [unreachable('DATABASE_URL', url, error)];
  }
};
