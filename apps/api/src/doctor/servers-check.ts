import { inspectConnection, serverUrls } from '@passwright/database';
import { unreachable } from './database-check.js';
import { type Check, type Finding, ok, problem, warning } from './finding.js';

/**
 * Checks each server in the address of the database, because an unusable server would otherwise go unnoticed until a
 * promotion. Also checks that the primary replicates synchronously.
 */
export const serversCheck: Check = async ({ config, database }): Promise<Finding[]> => {
  const { directUrl, pooled } = config.database;
  const urls = directUrl ? serverUrls(directUrl) : [];
  if (urls.length < 2 || database.kind !== 'open' || !database.report) return [];
  const { server } = database.report;
  const variable = pooled ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL';
  const findings = await Promise.all(urls.map((url) => lookAt(url, variable, server)));
  const wrong = findings.filter((finding) => finding !== null);
  if (wrong.length === 0) wrong.push(ok(`All ${urls.length} servers of ${variable} belong to one cluster.`));
  const [replication] = await database.source.query<[{ isSynchronous: boolean }]>(
    `SELECT current_setting('synchronous_standby_names') <> '' AND
       current_setting('synchronous_commit') NOT IN ('off', 'local') AS "isSynchronous"`,
  );
  const found = 'The primary does not replicate synchronously, so a promotion loses the newest changes.';
  const fix = 'Set synchronous_standby_names, or synchronous_mode of Patroni. Keep synchronous_commit on.';
  return [...wrong, replication.isSynchronous ? ok('The primary replicates synchronously.') : warning(found, fix)];
};

/** Returns a finding about a server that cannot be used; null for the primary and its standbys. */
async function lookAt(url: string, variable: string, primary: string): Promise<Finding | null> {
  const looked = await inspectConnection(url, { standby: true }).catch((error: unknown) => ({ error }));
  if ('error' in looked) return unreachable(variable, url, looked.error);
  if (looked.server === primary) return null;
  const fix = `Name only the servers of one cluster in ${variable}.`;
  return problem(`${new URL(url).host} is not a standby of the primary: it has another database.`, fix);
}
