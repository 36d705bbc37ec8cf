import { type Client } from 'pg';

/** Tables of another app in the schema `public`, some with the same names as ours. */
const named: Readonly<Record<string, string>> = {
  account: `id serial PRIMARY KEY, iban text NOT NULL`,
  user: `id serial PRIMARY KEY, name text NOT NULL`,
  pass: `id text PRIMARY KEY, gate text NOT NULL`,
  template: `id uuid PRIMARY KEY, html text NOT NULL`,
  migration: `id serial PRIMARY KEY, "timestamp" bigint NOT NULL, name varchar NOT NULL`,
  migrations: `id serial PRIMARY KEY, "timestamp" bigint NOT NULL, name varchar NOT NULL`,
};
const rows = `
  INSERT INTO account (iban) VALUES ('DE02'), ('FR76');
  INSERT INTO "user" (name) VALUES ('Host');
  INSERT INTO pass VALUES ('p1', 'north');
  INSERT INTO template VALUES ('6f9619ff-8b86-d011-b42d-00c04fc964ff', '<p>');
  INSERT INTO migration ("timestamp", name) VALUES (1, 'First1');
  INSERT INTO migrations ("timestamp", name) VALUES (1, 'First1')`;

/** Creates the tables of the other app, with content. */
export async function createHostTables(client: Client): Promise<void> {
  for (const [name, columns] of Object.entries(named)) await client.query(`CREATE TABLE "${name}" (${columns})`);
  await client.query(rows);
}

/**
 * Creates a table or function in the schema `public` under every name that our schema uses, unless it exists. A
 * statement of ours that uses one by mistake fails.
 */
export async function occupyNames(client: Client, schema: string): Promise<void> {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p', 'v', 'S')`,
    [schema],
  );
  for (const { name } of tables) await client.query(`CREATE TABLE IF NOT EXISTS "${name}" (of_host text)`);
  const { rows: functions } = await client.query<{ definition: string }>(
    `SELECT format('CREATE FUNCTION %I(%s) RETURNS %s LANGUAGE plpgsql AS $host$BEGIN RAISE ''of the host''; END$host$',
       proname, pg_get_function_identity_arguments(oid), prorettype::regtype) AS definition
     FROM pg_proc WHERE pronamespace = $1::regnamespace AND NOT proretset AND prorettype <> 'record'::regtype`,
    [schema],
  );
  for (const { definition } of functions) await client.query(definition.replaceAll(`${schema}.`, ''));
}

/** Describes each object and each row in `public`, with the row's position and the transaction that wrote it. */
export async function stateOfHost(client: Client): Promise<string[]> {
  const { rows: objects } = await client.query<{ line: string }>(`
    SELECT format('%s %s %s %s', relkind, oid, relname, relfilenode) AS line FROM pg_class
      WHERE relnamespace = 'public'::regnamespace
    UNION ALL SELECT format('function %s %s %s', oid, proname, md5(prosrc)) FROM pg_proc
      WHERE pronamespace = 'public'::regnamespace
    UNION ALL SELECT format('type %s %s', oid, typname) FROM pg_type WHERE typnamespace = 'public'::regnamespace
    UNION ALL SELECT format('constraint %s %s', oid, conname) FROM pg_constraint
      WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT format('trigger %s %s', t.oid, tgname) FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
      WHERE relnamespace = 'public'::regnamespace
    ORDER BY 1`);
  const lines = objects.map(({ line }) => line);
  for (const name of await tablesOf(client)) {
    const { rows: content } = await client.query<{ line: string }>(
      `SELECT format('row of %s: %s %s %s', '${name}', ctid, xmin, host::text) AS line FROM "${name}" host ORDER BY 1`,
    );
    lines.push(...content.map(({ line }) => line));
  }
  return lines;
}

/** Counts how often ended sessions read or wrote each table in `public`. */
export async function usesOfHost(client: Client): Promise<Record<string, string>> {
  await client.query('SELECT pg_stat_clear_snapshot()');
  const { rows: uses } = await client.query<{ name: string; uses: string }>(`
    SELECT relname AS name, seq_scan + coalesce(idx_scan, 0) + n_tup_ins + n_tup_upd + n_tup_del AS uses
    FROM pg_stat_user_tables WHERE schemaname = 'public' ORDER BY relname`);
  return Object.fromEntries(uses.map((row) => [row.name, row.uses]));
}

async function tablesOf(client: Client): Promise<string[]> {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1`,
  );
  return tables.map(({ name }) => name);
}
