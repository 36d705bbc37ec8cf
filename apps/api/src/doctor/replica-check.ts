import { within } from '@passwright/core';
import { dataSourceTo, inspectConnection, serviceClient, serviceName } from '@passwright/database';
import { DataSource } from 'typeorm';
import { unreachable } from './database-check.js';
import { type Check, type Finding, ok, problem, warning } from './finding.js';

/** The delay, in bytes of WAL, above which the primary answers most reads. */
const LATE_BYTES = 1024 * 1024;

interface Standby {
  readonly follows: boolean;
  readonly server: string;
  readonly timeline: number;
  /** The position up to which the standby has replayed the WAL; null on a primary. */
  readonly replayed: string | null;
}

/** Checks that DATABASE_REPLICA_URL leads to a standby of the database, and reports how far the standby is behind. */
export const replicaCheck: Check = async ({ config, database, limitMs }): Promise<Finding[]> => {
  const { replicaUrl, schema } = config.database;
  if (!replicaUrl || database.kind !== 'open') return [];
  const looked = await within(limitMs, lookAt(replicaUrl, limitMs, schema)).catch((error: unknown) => ({ error }));
  if (looked === null)
    return [
      problem(
        'DATABASE_REPLICA_URL leads to a pooler in transaction mode, so no read uses it.',
        'Set it to the address of the standby itself, or of a pooler in session mode.',
      ),
    ];
  if ('error' in looked) return [unreachable('DATABASE_REPLICA_URL', replicaUrl, looked.error)];
  const [primary] = await database.source.query<[{ server: string; timeline: number; behind: number }]>(
    `SELECT server_identity() AS server, wal_timeline()::int AS timeline,
       pg_wal_lsn_diff(pg_current_wal_flush_lsn(), $1::pg_lsn)::float8 AS behind`,
    [looked.replayed],
  );
  const fix = 'Set DATABASE_REPLICA_URL to a hot standby of the database that DATABASE_URL names.';
  if (!looked.follows) return [problem('DATABASE_REPLICA_URL leads to a primary, so no read uses it.', fix)];
  if (looked.server !== primary.server)
    return [problem('DATABASE_REPLICA_URL leads to a standby of another database, so no read may use it.', fix)];
  if (looked.timeline !== primary.timeline)
    return [
      warning(
        'The standby has made no checkpoint on the timeline of the primary yet, so the primary answers all reads.',
        'Wait some minutes after a promotion. If that does not help, rebuild the standby.',
      ),
    ];
  if (primary.behind > LATE_BYTES)
    return [
      warning(
        `The standby is ${Math.round(primary.behind / LATE_BYTES)} MB behind, so the primary answers most reads.`,
        'Look at the load of the standby, and at the network between the two.',
      ),
    ];
  return [ok('DATABASE_REPLICA_URL leads to a standby that follows the primary.')];
};

/**
 * Reads the state of the standby. Returns null for a pooler in transaction mode without querying it, because its
 * connections would keep the doctor's settings.
 */
async function lookAt(url: string, limitMs: number, schema: string | null): Promise<Standby | null> {
  const { mode } = await inspectConnection(url, { standby: true });
  if (mode === 'transaction') return null;
  const source = new DataSource({
    ...dataSourceTo(url, serviceClient(limitMs, { standby: true, schema })),
    poolSize: 1,
    connectTimeoutMS: limitMs,
    applicationName: `${serviceName(schema)} doctor`,
  });
  await source.initialize();
  try {
    const [standby] = await source.query<[Standby]>(
      `SELECT pg_is_in_recovery() AS follows, server_identity() AS server, timeline_id AS timeline,
         pg_last_wal_replay_lsn()::text AS replayed
       FROM pg_control_checkpoint()`,
    );
    return standby;
  } finally {
    await source.destroy();
  }
}
