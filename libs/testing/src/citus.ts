import type { Client } from 'pg';
import { connect } from './connect.js';

/**
 * The tables about users. Each server of a cluster has all rows of these tables, because a user may be in several
 * accounts.
 */
const ON_EVERY_SERVER = ['app_user', 'user_code', 'user_identity', 'known_address'];

/**
 * Prepares a database that the servers of a Citus cluster have under the same name. Afterwards, migrations can run on
 * the coordinator, which is the first address.
 * @param urls the addresses of the database on the coordinator and on each worker
 */
export async function connectServers(urls: readonly string[]): Promise<void> {
  for (const url of urls) await run(url, (client) => client.query('CREATE EXTENSION IF NOT EXISTS citus'));
  const [coordinator = '', ...workers] = urls;
  await run(coordinator, async (client) => {
    const at = (url: string) => [new URL(url).hostname, Number(new URL(url).port)];
    await client.query('SELECT citus_set_coordinator_host($1, $2)', at(coordinator));
    for (const url of workers) await client.query('SELECT citus_add_node($1, $2)', at(url));
  });
}

/**
 * Distributes each table whose primary key begins with the account. Drops triggers and foreign keys first and creates
 * them again afterwards, because triggers would count copied rows again. Does not restore foreign keys from a table
 * without an account to a table with an account, because Citus does not support them.
 * @param url the address of the migrated database on the coordinator
 */
export async function distributeByAccount(url: string, shards: number): Promise<void> {
  await run(url, async (client) => {
    await client.query(`SET citus.shard_count = ${shards}; SET citus.enable_unsafe_triggers = on`);
    const { rows } = await client.query<{ before: string; after: string | null }>(dependentsSql);
    for (const { before } of rows) await client.query(before);
    for (const table of ON_EVERY_SERVER) await client.query('SELECT create_reference_table($1)', [table]);
    await client.query(`SELECT create_distributed_table('account', 'id')`);
    const { rows: tables } = await client.query<{ name: string }>(tablesSql);
    for (const { name } of tables) {
      await client.query(`SELECT create_distributed_table($1, 'account_id', colocate_with => 'account')`, [name]);
    }
    for (const { after } of rows) if (after) await client.query(after);
  });
}

const tablesSql = `
  SELECT t.relname AS name
  FROM pg_class t
  JOIN pg_index i ON i.indrelid = t.oid AND i.indisprimary
  JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
  WHERE t.relnamespace = 'public'::regnamespace AND NOT t.relispartition AND a.attname = 'account_id'
  ORDER BY t.relname`;

/**
 * A query that returns the statements that drop what depends on the tables, and the statements that create it again.
 */
const dependentsSql = `
  WITH own AS (
    SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
  ), of_accounts AS (
    SELECT t.oid FROM own t JOIN pg_attribute a ON a.attrelid = t.oid
    WHERE a.attname = 'account_id' AND NOT a.attisdropped OR t.oid = 'account'::regclass
  )
  SELECT 1 AS step, format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS before,
    CASE WHEN conrelid IN (SELECT indrelid FROM pg_index JOIN pg_attribute a ON a.attrelid = indrelid AND a.attnum = indkey[0]
      WHERE indisprimary AND (a.attname = 'account_id' OR indrelid = 'account'::regclass))
      OR confrelid NOT IN (TABLE of_accounts)
    THEN format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) END AS after
  FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 AND conrelid IN (TABLE own)
  UNION ALL
  SELECT 2, format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass), pg_get_triggerdef(oid)
  FROM pg_trigger WHERE NOT tgisinternal AND tgparentid = 0 AND tgrelid IN (TABLE own)
  ORDER BY step`;

async function run<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect(url, 'passwright test cluster');
  return work(client).finally(() => client.end());
}
