import type { DataSource } from 'typeorm';

/**
 * Returns true if the tables are distributed over a Citus cluster. The extension alone is not sufficient, because
 * `distribute` may not have run yet.
 * @param schema the schema of the tables; null for the schema of the connection
 */
export async function isDistributed(source: DataSource, schema: string | null): Promise<boolean> {
  const [extension] = await source.query<[{ found: boolean }]>(
    `SELECT to_regclass('pg_dist_partition') IS NOT NULL AS found`,
  );
  if (!extension.found) return false;
  const [tables] = await source.query<[{ found: boolean }]>(
    `SELECT EXISTS (
       SELECT FROM pg_dist_partition d JOIN pg_class c ON c.oid = d.logicalrelid JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE c.relname = 'incarnation' AND n.nspname = coalesce($1, current_schema())
     ) AS found`,
    [schema],
  );
  return tables.found;
}
