import type { Client } from 'pg';
import { connect } from './connect.js';

/** The schema for the plain tables while their partitioned copies are created. */
const FORMER = 'former';

/**
 * Partitions tables by account, as docs/scaling.md describes for large installations. Replaces each plain table whose
 * primary key begins with the account by a table in hash partitions. Tables that are partitioned by time stay
 * unchanged. Does not copy rows, so the database must be new.
 * @param names 'own': Postgres names the indexes and constraints of partitions. 'same': partitions are in separate
 * schemas and have the same names as the table and its indexes, so that query plans look the same
 */
export async function partitionByAccount(
  url: string,
  partitions: number,
  names: 'own' | 'same' = 'own',
): Promise<void> {
  const client = await connect(url, 'passwright test partitions');
  try {
    const tables = await accountTables(client);
    if (tables.length === 0) throw new Error('No plain table begins with the account.');
    const { before, after } = await definitions(client, tables);
    await client.query(`BEGIN; CREATE SCHEMA ${FORMER}`);
    for (const sql of before) await client.query(sql);
    if (names === 'same') for (let n = 0; n < partitions; n++) await client.query(`CREATE SCHEMA p${n}`);
    for (const table of tables) {
      await replace(client, table, partitions, (n) =>
        names === 'same' ? `p${n}.${table.name}` : `${table.name}_p${n}`,
      );
    }
    for (const sql of after) await client.query(sql);
    if (names === 'same') await client.query(renameSql);
    await client.query(`DROP SCHEMA ${FORMER} CASCADE; COMMIT`);
  } finally {
    await client.end();
  }
}

interface AccountTable {
  readonly name: string;
  /** The name of the column that contains the account. */
  readonly key: string;
  /** Storage options such as a fill factor. Only partitions may have them. */
  readonly options: string | null;
}

async function accountTables(client: Client): Promise<AccountTable[]> {
  const { rows } = await client.query<AccountTable>(`
    SELECT t.relname AS name, a.attname AS key, array_to_string(t.reloptions, ', ') AS options
    FROM pg_class t
    JOIN pg_index i ON i.indrelid = t.oid AND i.indisprimary
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
    WHERE t.relnamespace = 'public'::regnamespace AND t.relkind = 'r' AND NOT t.relispartition
      AND (a.attname = 'account_id' OR t.relname = 'account')
    ORDER BY t.relname`);
  return rows;
}

/** Returns the statements that drop everything that depends on the tables, and the statements that create it again. */
async function definitions(client: Client, tables: AccountTable[]): Promise<{ before: string[]; after: string[] }> {
  const { rows } = await client.query<{ before: string | null; after: string }>(definitionsSql, [
    tables.map(({ name }) => name),
  ]);
  return { before: rows.flatMap(({ before }) => before ?? []), after: rows.map(({ after }) => after) };
}

const definitionsSql = `
  WITH tables AS (
    SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname = ANY ($1)
  ), keys AS (
    SELECT 1 AS step, format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname,
      pg_get_constraintdef(oid)) AS after, NULL AS before
    FROM pg_constraint WHERE conrelid IN (TABLE tables) AND contype IN ('p', 'u', 'x')
  ), indexes AS (
    SELECT 2, pg_get_indexdef(indexrelid), NULL
    FROM pg_index WHERE indrelid IN (TABLE tables)
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND conrelid = indrelid)
  ), foreign_keys AS (
    SELECT 3, format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)),
      format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname)
    FROM pg_constraint
    WHERE contype = 'f' AND conparentid = 0 AND (conrelid IN (TABLE tables) OR confrelid IN (TABLE tables))
  ), triggers AS (
    SELECT 4, pg_get_triggerdef(oid), NULL FROM pg_trigger WHERE tgrelid IN (TABLE tables) AND NOT tgisinternal
  ), views AS (
    SELECT DISTINCT r.ev_class AS oid FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid
    WHERE d.classid = 'pg_rewrite'::regclass AND d.refobjid IN (TABLE tables)
  ), made_views AS (
    SELECT 5, format('CREATE VIEW %s AS %s', oid::regclass, pg_get_viewdef(oid)), format('DROP VIEW %s', oid::regclass)
    FROM views
  ), view_defaults AS (
    SELECT 6, format('ALTER VIEW %s ALTER %I SET DEFAULT %s', adrelid::regclass, attname, pg_get_expr(adbin, adrelid)),
      NULL
    FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum WHERE adrelid IN (TABLE views)
  )
  TABLE keys UNION ALL TABLE indexes UNION ALL TABLE foreign_keys UNION ALL TABLE triggers
  UNION ALL TABLE made_views UNION ALL TABLE view_defaults
  ORDER BY step`;

/**
 * Renames the indexes of each partition like the table's indexes, by way of unique names. Postgres renames the
 * constraints too.
 */
const renameSql = `
  DO $$ DECLARE part record; BEGIN
    CREATE TEMP TABLE parts ON COMMIT DROP AS
      SELECT own.oid, whole.relname AS name
      FROM pg_inherits JOIN pg_class own ON own.oid = inhrelid JOIN pg_class whole ON whole.oid = inhparent
      WHERE own.relkind = 'i' AND own.relnamespace::regnamespace::text ~ '^p[0-9]+$';
    FOR part IN SELECT oid::regclass AS own, oid FROM parts
    LOOP EXECUTE format('ALTER INDEX %s RENAME TO %I', part.own, 'part_' || part.oid); END LOOP;
    FOR part IN SELECT oid::regclass AS own, name FROM parts
    LOOP EXECUTE format('ALTER INDEX %s RENAME TO %I', part.own, part.name); END LOOP;
  END $$`;

async function replace(
  client: Client,
  { name, key, options }: AccountTable,
  partitions: number,
  nameOf: (n: number) => string,
): Promise<void> {
  await client.query(`
    ALTER TABLE ${name} SET SCHEMA ${FORMER};
    CREATE TABLE ${name} (LIKE ${FORMER}.${name} INCLUDING ALL EXCLUDING INDEXES) PARTITION BY HASH (${key})`);
  for (let n = 0; n < partitions; n++) {
    await client.query(`
      CREATE TABLE ${nameOf(n)} PARTITION OF ${name} FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${n})
        ${options ? `WITH (${options})` : ''}`);
  }
}
