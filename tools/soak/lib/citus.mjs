/**
 * A Citus cluster of a coordinator and two workers. It needs a Postgres server with the Citus extension. PG_BIN names
 * the folder of the server's programs.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startCluster } from './postgres-cluster.mjs';

export const NEEDS_CITUS =
  'Set PG_BIN to the programs of a Postgres server that has the extension Citus; Debian has no package of it.';
const WORKERS = 2;
const settings = {
  shared_preload_libraries: 'citus',
  max_connections: '300',
  max_prepared_transactions: '300',
  max_worker_processes: '200',
  jit: 'off',
  'citus.node_conninfo': 'sslmode=disable',
  'citus.enable_unsafe_triggers': 'on',
  'citus.allow_nested_distributed_execution': 'on',
  'citus.propagate_set_commands': 'local',
  // Allow a transaction that has read several shards to change a reference table, which exists on every server.
  'citus.multi_shard_modify_mode': 'sequential',
};

/** Returns true if the server in PG_BIN has the Citus extension. */
export function hasCitus() {
  return Boolean(process.env.PG_BIN) && existsSync(join(process.env.PG_BIN, '..', 'lib', 'citus.so'));
}

/** Starts the servers: the coordinator first, then its workers. */
export async function startCitus(more = {}) {
  const servers = [];
  for (let at = 0; at <= WORKERS; at += 1) servers.push(await startCluster({ settings: { ...settings, ...more } }));
  return servers;
}
