import type { DataSource } from 'typeorm';

/** Returns true if the database is on the coordinator of a Citus cluster. */
export async function hasCitus(source: DataSource): Promise<boolean> {
  const [row] = await source.query<[{ found: boolean }]>(
    `SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS found`,
  );
  return row.found;
}
