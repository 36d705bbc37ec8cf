import type { QueryRunner } from 'typeorm';

/** A table to be partitioned by time. */
export interface Partitioning {
  readonly table: string;
  /** The partition key. */
  readonly key: string;
  /** The time column from which the key is derived. */
  readonly time: string;
  readonly each: 'day' | 'week' | 'month';
  /** Builds SQL that turns a time into its key. */
  readonly keyAt: (at: string) => string;
  readonly primaryKey: string;
  /**
   * The index definitions by name: the text after `CREATE INDEX name ON table`. Existing indexes of the table are kept.
   */
  readonly indexes: Readonly<Record<string, string>>;
  /** Statements that run on the new table before the old one is attached to it. */
  readonly also?: string;
}

/**
 * Partitions a table. Existing rows stay in place and become the first partition. No long step blocks a query: a
 * separate transaction first checks that all rows belong to that partition. The migration runs without a transaction
 * and resumes after an interruption.
 */
export async function partition(runner: QueryRunner, partitioning: Partitioning): Promise<void> {
  const { table, key } = partitioning;
  if (await isPartitioned(runner, table)) return;
  const { bound, name } = await firstBound(runner, partitioning);
  await runner.query(`ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${table}_bound`);
  await runner.query(`ALTER TABLE ${table} ADD CONSTRAINT ${table}_bound CHECK (${key} < '${bound}') NOT VALID`);
  try {
    await runner.query(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${table}_bound`);
    await exchange(runner, partitioning, bound, name);
  } catch (error) {
    // Drop the constraint. It would reject rows beyond the bound from nodes of the previous version.
    await runner.query(`ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${table}_bound`).catch(() => undefined);
    throw error;
  }
}

/** Replaces the table with a partitioned one, as a whole or not at all. */
async function exchange(runner: QueryRunner, partitioning: Partitioning, bound: string, name: string): Promise<void> {
  await runner.startTransaction();
  try {
    await attach(runner, partitioning, bound, name);
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  }
}

export async function isPartitioned(runner: QueryRunner, table: string): Promise<boolean> {
  const rows = (await runner.query(`SELECT relkind FROM pg_class WHERE oid = '${table}'::regclass`)) as [
    { relkind: string },
  ];
  return rows[0].relkind === 'p';
}

/**
 * Returns a bound at least a day after all existing rows, so that rows written during the migration also belong to the
 * first partition.
 */
async function firstBound(
  runner: QueryRunner,
  { table, time, each, keyAt }: Partitioning,
): Promise<{ bound: string; name: string }> {
  const rows = (await runner.query(`
    SELECT (${keyAt('ends')})::text AS bound, '${table}_before_' || to_char(ends AT TIME ZONE 'UTC', 'YYYYMMDD') AS name
    FROM (
      SELECT (date_trunc('${each}', (latest + interval '1 day') AT TIME ZONE 'UTC') + interval '1 ${each}')
        AT TIME ZONE 'UTC' AS ends
      FROM (SELECT greatest(now(), max(${time})) AS latest FROM ${table}) AS present
    ) AS first`)) as [{ bound: string; name: string }];
  return rows[0];
}

async function attach(runner: QueryRunner, partitioning: Partitioning, bound: string, name: string): Promise<void> {
  const { table, key, primaryKey, indexes, also = '' } = partitioning;
  const query = (sql: string) => runner.query(sql);
  await query(`ALTER TABLE ${table} RENAME TO ${name}`);
  await query(`ALTER TABLE ${name} RENAME CONSTRAINT ${table}_pkey TO ${name}_pkey`);
  for (const index of Object.keys(indexes)) {
    await query(`ALTER INDEX ${index} RENAME TO ${index.replace(table, name)}`);
  }
  await query(`
    CREATE TABLE ${table} (LIKE ${name} INCLUDING ALL EXCLUDING INDEXES EXCLUDING IDENTITY EXCLUDING CONSTRAINTS)
      PARTITION BY RANGE (${key});
    ALTER TABLE ${table} ADD PRIMARY KEY (${primaryKey});`);
  for (const [index, definition] of Object.entries(indexes))
    await query(`CREATE INDEX ${index} ON ${table} ${definition}`);
  if (also) await query(also.replaceAll('$first', name));
  await query(`
    ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM (MINVALUE) TO ('${bound}');
    ALTER TABLE ${name} DROP CONSTRAINT ${table}_bound;
    CREATE TABLE ${table}_default (LIKE ${table} INCLUDING ALL EXCLUDING IDENTITY);
    ALTER TABLE ${table} ATTACH PARTITION ${table}_default DEFAULT;`);
}

/** Moves all rows of a partitioned table back into a plain one. */
export async function unpartition(
  runner: QueryRunner,
  { table, primaryKey, indexes, also }: Pick<Partitioning, 'table' | 'primaryKey' | 'indexes' | 'also'>,
): Promise<void> {
  await runner.query(`
    CREATE TABLE ${table}_plain (LIKE ${table} INCLUDING ALL EXCLUDING INDEXES EXCLUDING IDENTITY);
    INSERT INTO ${table}_plain SELECT * FROM ${table};
    DROP TABLE ${table};
    ALTER TABLE ${table}_plain RENAME TO ${table};
    ALTER TABLE ${table} ADD PRIMARY KEY (${primaryKey});`);
  for (const [index, definition] of Object.entries(indexes)) {
    await runner.query(`CREATE INDEX ${index} ON ${table} ${definition}`);
  }
  if (also) await runner.query(also);
}
