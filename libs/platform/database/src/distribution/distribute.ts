import type { ClientBase } from 'pg';
import { serviceClient } from '../connections/service-client.js';
import { checkedSchemaName, serviceName } from '../connections/schema-names.js';
import type { SchemaOptions } from '../migrate.js';
import { adaptBefore, adaptFunctions, adaptToCopies, jobOutboxSql } from '../migrations/citus-differences.js';
import {
  clusterSql,
  foreignKeysSql,
  functionsSql,
  ON_EVERY_SERVER,
  tablesSql,
  triggersSql,
} from './distribution-sql.js';
import { BY_ROWS, functionByRows, type StatementTrigger } from './row-triggers.js';
import { inPlpgsql } from './sql-functions.js';

/** The tables of an installation on Citus. */
export interface Distribution {
  /** The number of servers that hold rows. */
  readonly servers: number;
  /** The tables that are distributed by account, each with the number of its rows. */
  readonly byAccount: Readonly<Record<string, number>>;
  /** The tables that each server has in full, each with the number of its rows. */
  readonly onEveryServer: Readonly<Record<string, number>>;
  /** The tables of both kinds that were not distributed before. */
  readonly isNew: readonly string[];
}

/** Options of `distribute`. */
export interface DistributeOptions extends SchemaOptions {
  /** The number of shards of each table. Default: the setting `citus.shard_count`. */
  readonly shards?: number;
  /** If true, only counts the rows and changes nothing. */
  readonly dryRun?: boolean;
  /** Called at the beginning of each step, with its description. */
  readonly begins?: (step: string) => void;
}

/** The tables cannot be distributed. The message says why, and what to do. */
export class DistributionFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DistributionFailed';
  }
}

interface Table {
  readonly name: string;
  /** The column by which the table is distributed; null for a table on every server. */
  readonly key: string | null;
  readonly isDistributed: boolean;
}

interface Dependent {
  readonly drop: string;
  readonly create: string | null;
}

type Trigger = StatementTrigger & { readonly drop: string; readonly create: string };
type Counts = ReadonlyMap<string, number>;

/**
 * Distributes the tables of an installation by account over the servers of a Citus cluster, in one transaction. Stop
 * all nodes of the service first, except for a dry run. Run it again after each update: it distributes new tables, and
 * creates the functions on all servers again.
 * @param url the address of the migrated database on the coordinator
 * @throws DistributionFailed
 */
export async function distribute(
  url: string,
  { schema, shards, dryRun = false, begins = () => undefined }: DistributeOptions = {},
): Promise<Distribution> {
  const name = checkedSchemaName(schema);
  const application_name = `${serviceName(name)} distribution`;
  const client = new (serviceClient(0, { schema: name }))({ connectionString: url, application_name });
  await client.connect();
  try {
    const servers = await requireCluster(client);
    const before = await findTables(client);
    if (dryRun) return distributionOf(servers, before, await count(client, before));
    await requireNoNode(client, serviceName(name), application_name);
    await client.query('BEGIN');
    await client.query(`SET LOCAL citus.multi_shard_modify_mode = 'sequential'; SET LOCAL check_function_bodies = off;
      SET LOCAL citus.enable_unsafe_triggers = on`);
    if (shards !== undefined) await client.query(`SET LOCAL citus.shard_count = ${Math.trunc(shards)}`);
    await client.query(jobOutboxSql);
    const tables = await findTables(client);
    const counts = await distributeTables(client, tables, begins);
    await client.query('COMMIT');
    return distributionOf(servers, tables, counts);
  } finally {
    await client.end();
  }
}

/** @returns the number of servers that hold rows. @throws DistributionFailed without a Citus cluster */
async function requireCluster(client: ClientBase): Promise<number> {
  const { rows: found } = await client.query(`SELECT FROM pg_extension WHERE extname = 'citus'`);
  if (found.length === 0)
    throw new DistributionFailed(
      'The database has no extension Citus. Run CREATE EXTENSION citus in it, here and on each worker, and add the ' +
        'workers with citus_add_node.',
    );
  const { rows } = await client.query<{ servers: number; prepared: number }>(clusterSql);
  const { servers = 0, prepared = 0 } = rows[0] ?? {};
  if (servers === 0)
    throw new DistributionFailed('No server of the cluster may hold rows. Add the workers with citus_add_node.');
  if (prepared === 0)
    throw new DistributionFailed(
      'Set max_prepared_transactions to at least max_connections on all servers: a transaction that changes several ' +
        'servers needs it.',
    );
  return servers;
}

async function findTables(client: ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table>(tablesSql, [ON_EVERY_SERVER]);
  if (rows.length > 0) return rows;
  throw new DistributionFailed('The database has no tables yet: run "operator migrate" first.');
}

/**
 * Requires that no node is connected, because a running node would keep its outdated query plans. @throws
 * DistributionFailed
 */
async function requireNoNode(client: ClientBase, service: string, own: string): Promise<void> {
  const { rows } = await client.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND split_part(application_name, ' ', 1) = $1
     AND application_name <> $2 LIMIT 1`,
    [service, own],
  );
  if (rows.length > 0) throw new DistributionFailed('Stop all nodes first: one is connected to the database.');
}

function distributionOf(servers: number, tables: readonly Table[], counts: Counts): Distribution {
  const part = (isOn: boolean) =>
    Object.fromEntries(
      tables.filter(({ key }) => (key === null) === isOn).map(({ name }) => [name, counts.get(name) ?? 0]),
    );
  const isNew = tables.filter(({ isDistributed }) => !isDistributed).map(({ name }) => name);
  return { servers, byAccount: part(false), onEveryServer: part(true), isNew };
}

async function distributeTables(
  client: ClientBase,
  tables: readonly Table[],
  begins: (step: string) => void,
): Promise<Counts> {
  begins('Counts the rows');
  for (const { name } of tables) await client.query(`LOCK TABLE ${name} IN ACCESS EXCLUSIVE MODE`);
  const before = await count(client, tables);
  const isNew = tables.filter(({ isDistributed }) => !isDistributed);
  if (isNew.some(({ name }) => name === 'pass')) await adaptBefore(client);
  const names = tables.filter(({ key }) => key !== null).map(({ name }) => name);
  const { rows: keys } = await client.query<Dependent>(foreignKeysSql, [ON_EVERY_SERVER, names]);
  const { rows: triggers } = await client.query<Trigger>(triggersSql);
  begins(`Drops ${triggers.length} triggers and ${keys.length} foreign keys`);
  for (const { drop } of triggers) await client.query(drop);
  if (isNew.length > 0) for (const { drop } of keys) await client.query(drop);
  for (const table of isNew) await distributeTable(client, table, before, begins);
  begins('Makes the functions, foreign keys and triggers');
  await makeFunctions(client, triggers);
  if (isNew.length > 0) for (const { create } of keys) if (create) await client.query(create);
  for (const trigger of triggers) await client.query(definitionOf(trigger));
  begins('Counts the rows again');
  compare(before, await count(client, tables));
  return before;
}

async function distributeTable(
  client: ClientBase,
  { name, key }: Table,
  counts: Counts,
  begins: (step: string) => void,
) {
  begins(`Distributes ${name}: ${counts.get(name) ?? 0} rows`);
  if (key === null) await client.query('SELECT create_reference_table($1)', [name]);
  else if (name === 'account') await client.query('SELECT create_distributed_table($1, $2)', [name, key]);
  else await client.query(`SELECT create_distributed_table($1, $2, colocate_with => 'account')`, [name, key]);
  // Remove the original rows, which the coordinator still has after the copy. No statement sees them.
  await client.query('SELECT truncate_local_data_after_distributing_table($1::regclass)', [name]);
}

/** Creates all functions on all servers. Also creates, for each trigger function, the form that Citus can run. */
async function makeFunctions(client: ClientBase, triggers: readonly Trigger[]): Promise<void> {
  const { rows } = await client.query<{ definition: string }>(functionsSql);
  for (const { definition } of rows) await client.query(adaptToCopies(inPlpgsql(definition)));
  const byRows = new Map(triggers.filter(({ rows: names }) => names.length > 0).map((each) => [each.function, each]));
  for (const trigger of byRows.values()) await client.query(adaptFunctions(functionByRows(trigger)));
}

/** Returns the definition of a trigger that uses the function for Citus. */
function definitionOf({ create, function: name, rows }: Trigger): string {
  return rows.length === 0 ? create : create.replace(new RegExp(`\\b${name}(${BY_ROWS})?\\(`), `${name}${BY_ROWS}(`);
}

async function count(client: ClientBase, tables: readonly Table[]): Promise<Counts> {
  const counts = new Map<string, number>();
  for (const { name } of tables) {
    const { rows } = await client.query<{ n: string }>(`SELECT count(*) AS n FROM ${name}`);
    counts.set(name, Number(rows[0]?.n));
  }
  return counts;
}

/**
 * Compares the numbers of rows of each table.
 * @throws DistributionFailed, which undoes all changes, if they differ
 */
function compare(before: Counts, after: Counts): void {
  const different = [...before].filter(([name, rows]) => after.get(name) !== rows);
  if (different.length === 0) return;
  const list = different.map(([name, rows]) => `${name} had ${rows} rows and has ${after.get(name) ?? 0}`).join(', ');
  throw new DistributionFailed(`Nothing was changed, because the numbers of rows differ: ${list}.`);
}
