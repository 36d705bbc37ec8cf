import { findRivals, inspectConnection, type Rival, serverUrls, serviceName } from '@passwright/database';
import type { DataSource } from 'typeorm';
import { unreachable } from './database-check.js';
import { type Check, type Finding, ok, problem, warning } from './finding.js';

/**
 * Checks each server in the address of the database, because an unusable server would otherwise go unnoticed until a
 * promotion. Also checks that only one server accepts writes, and that it replicates synchronously.
 */
export const serversCheck: Check = async ({ config, database }): Promise<Finding[]> => {
  const { directUrl, pooled, schema } = config.database;
  const urls = directUrl ? serverUrls(directUrl) : [];
  if (!directUrl || urls.length < 2) return [];
  const variable = pooled ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL';
  const [wrong, rivals] = await Promise.all([
    findWrongServers(urls, variable),
    findRivals(directUrl, `${serviceName(schema)} doctor`),
  ]);
  const problems = [...wrong, ...rivals.map((rival) => rivalFinding(rival, variable))];
  const servers =
    problems.length > 0 ? problems : [ok(`All ${urls.length} servers of ${variable} belong to one cluster.`)];
  // Two servers that both accept writes may be the reason why the database cannot be opened.
  return database.kind === 'open' ? [...servers, await replicationFinding(database.source)] : servers;
};

function rivalFinding({ server, newest, isOlder }: Rival, variable: string): Finding {
  const both = `${server} and ${newest} both accept writes`;
  if (!isOlder)
    return problem(
      `${both}, and both write the same timeline, so neither is known to be the newer one.`,
      `Stop the one with the older data. Make it a standby of the other one with pg_basebackup, or take it out of ${variable}.`,
    );
  return problem(
    `${both}. ${newest} is newer, so the service uses it.`,
    `Stop ${server}. Make it a standby of ${newest} with pg_rewind, or take it out of ${variable}.`,
  );
}

async function replicationFinding(source: DataSource): Promise<Finding> {
  const [replication] = await source.query<[{ isSynchronous: boolean }]>(
    `SELECT current_setting('synchronous_standby_names') <> '' AND
       current_setting('synchronous_commit') NOT IN ('off', 'local') AS "isSynchronous"`,
  );
  const found = 'The primary does not replicate synchronously, so a promotion loses the newest changes.';
  const fix = 'Set synchronous_standby_names, or synchronous_mode of Patroni. Keep synchronous_commit on.';
  return replication.isSynchronous ? ok('The primary replicates synchronously.') : warning(found, fix);
}

/**
 * Finds servers that cannot be reached, and servers with another database than the first one that responds. The first
 * one decides, because the address may name several clusters.
 */
async function findWrongServers(urls: readonly string[], variable: string): Promise<Finding[]> {
  const looks = await Promise.all(
    urls.map((url) => inspectConnection(url, { standby: true }).catch((error: unknown) => ({ error }))),
  );
  const reached = looks.findIndex((look) => 'server' in look);
  const first = looks[reached];
  const fix = `Name only the servers of one cluster in ${variable}.`;
  return looks.flatMap((look, at) => {
    const url = urls[at] as string;
    if ('error' in look) return [unreachable(variable, url, look.error)];
    if (!first || 'error' in first || look.server === first.server) return [];
    return [problem(`${hostOf(url)} has another database than ${hostOf(urls[reached] as string)}.`, fix)];
  });
}

const hostOf = (url: string) => new URL(url).host;
