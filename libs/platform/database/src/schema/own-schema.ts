import type { ClientBase } from 'pg';
import type { DataSource } from 'typeorm';
import { migrations } from '../migrations/index.js';

/** An error for a connection that does not see its tables. The message says what to change. */
export class SchemaNotSeen extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SchemaNotSeen';
  }
}

/** An error for a schema that must not be created. The message says why, and what to do. */
export class SchemaCreationFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SchemaCreationFailed';
  }
}

/**
 * Finds out if the schema exists, and if it would hide tables in `public`. A schema with the name of the role comes
 * first in the search path `"$user", public` of every session of that role.
 */
const foundSql = `
  SELECT to_regnamespace($1) IS NOT NULL AS found, quote_ident(current_user) AS role,
    current_user = $1 AND (SELECT reset_val LIKE '%"$user"%' FROM pg_settings WHERE name = 'search_path')
      AND EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace('public') AND relkind IN ('r', 'p')) AS hides`;

/**
 * Finds an installation in one of the schemas that a role sees by default. Reads only the catalog, because a host app
 * may have tables of the same names.
 */
const installedSql = `
  SELECT nspname AS name FROM pg_namespace n
  WHERE nspname IN ('public', current_user) AND to_regnamespace(quote_ident(nspname || '_queue')) IS NULL
    AND NOT EXISTS (
      SELECT FROM (VALUES ('migration', 'timestamp'), ('incarnation', 'server'), ('encryption_key', 'id'))
        AS needed (relname, attname)
      WHERE NOT EXISTS (
        SELECT FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relnamespace = n.oid AND c.relname = needed.relname AND a.attname = needed.attname))`;

/**
 * Creates the schema unless it exists. A role without the right to create schemas can use a schema that the operator
 * has created.
 * @throws SchemaCreationFailed if the new schema would hide existing tables, or replace an installation with an empty
 *   one
 */
export async function createSchema(client: ClientBase, schema: string): Promise<void> {
  const { rows } = await client.query<{ found: boolean; role: string; hides: boolean }>(foundSql, [schema]);
  const [row] = rows;
  if (row?.found) return;
  if (row?.hides)
    throw new SchemaCreationFailed(
      `The role "${schema}" looks for tables in a schema of its own name first, so the new schema "${schema}" would hide ` +
        'those in public from it. Choose another name for the schema.',
    );
  const { rows: installed } = await client.query<{ name: string }>(installedSql);
  if (installed[0])
    throw new SchemaCreationFailed(
      `The database already has an installation in the schema "${installed[0].name}", and the new schema "${schema}" ` +
        'would start without its accounts and passes. Leave out DATABASE_SCHEMA (the option "schema") to use that ' +
        'installation. For a second, separate one, first run: ' +
        `CREATE SCHEMA "${schema}" AUTHORIZATION ${row?.role};`,
    );
  await client.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
}

/**
 * Makes the functions of the schema use only its tables, even in a session with another search_path. Leaves out
 * functions written in SQL, because Postgres could no longer inline them.
 */
export async function pinFunctions(client: ClientBase, schema: string): Promise<void> {
  await client.query(`
    DO $$ DECLARE pinned regprocedure; BEGIN
      FOR pinned IN
        SELECT p.oid FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
        WHERE p.pronamespace = '${schema}'::regnamespace AND l.lanname = 'plpgsql'
          AND NOT EXISTS (SELECT FROM unnest(p.proconfig) AS setting WHERE setting LIKE 'search_path=%')
      LOOP EXECUTE format('ALTER FUNCTION %s SET search_path = %I', pinned, '${schema}'); END LOOP;
    END $$`);
}

/**
 * Checks that a new connection sees the tables of the schema first.
 * @param advice how to make the connection see the tables. @throws SchemaNotSeen
 */
export async function requireSchema(source: DataSource, schema: string, advice: string): Promise<void> {
  const { schema: ofEntities } = source.options as { readonly schema?: string };
  if (ofEntities !== undefined && ofEntities !== schema) {
    throw new SchemaNotSeen(
      `TypeORM looks for all tables in the schema "${ofEntities}" (option "schema" of the connection), but those of ` +
        `Passwright are in "${schema}". Leave that option out, and name the schema at your own entities instead.`,
    );
  }
  const [seen] = await source.query<[{ path: string; first: string | null; exists: boolean }]>(
    `SELECT current_setting('search_path') AS path, current_schema()::text AS first,
       to_regnamespace($1) IS NOT NULL AS exists`,
    [schema],
  );
  if (!seen.exists)
    throw new SchemaNotSeen(
      `There is no schema "${schema}". Call migrate(url, { schema: '${schema}' }) before the start.`,
    );
  if (seen.first !== schema)
    throw new SchemaNotSeen(
      `The connections look for tables in ${seen.path}, not in the schema "${schema}". ${advice}`,
    );
}

/**
 * Checks the app's own history of migrations.
 * @throws SchemaNotSeen if it contains our migrations, whose functions would use the wrong queue
 */
export function rejectOwnHistory(source: DataSource, schema: string): void {
  const names = new Set(migrations.map(({ name }) => name));
  if (!source.migrations.some(({ constructor }) => names.has(constructor.name))) return;
  throw new SchemaNotSeen(
    `The migrations of Passwright are part of the app's history, but its tables are in a schema of their own. Take them ` +
      `out of the connection, and call migrate(url, { schema: '${schema}' }) before the start.`,
  );
}
