import { migrationLock } from './migrate.js';
import { queueSchemaOf, searchPathSql } from './connections/schema-names.js';

/**
 * Returns the script that drops everything in the service's schemas except the objects of extensions. Nodes that start
 * meanwhile wait until the transaction ends.
 * @param schema null for `public`, which itself stays, because another role owns it before Postgres 15
 */
export function emptySchemasSql(schema: string | null): string {
  const begin = `
SELECT pg_advisory_xact_lock(${migrationLock(schema)});
SET LOCAL client_min_messages = warning;
DROP SCHEMA IF EXISTS ${queueSchemaOf(schema)} CASCADE;
`;
  return schema === null ? `${begin}${emptyPublicSql}` : `${begin}DROP SCHEMA IF EXISTS "${schema}" CASCADE;\n`;
}

const emptyPublicSql = `
DO $$
DECLARE object record;
BEGIN
  FOR object IN
    SELECT named.type, named.identity
    FROM (
      SELECT 'pg_class'::regclass AS classid, oid FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
      UNION ALL
      SELECT 'pg_proc'::regclass, oid FROM pg_proc WHERE pronamespace = 'public'::regnamespace
      UNION ALL
      SELECT 'pg_type'::regclass, oid FROM pg_type WHERE typnamespace = 'public'::regnamespace AND typtype IN ('d', 'e')
    ) AS found
    CROSS JOIN pg_identify_object(classid, oid, 0) AS named
    WHERE NOT EXISTS (
      SELECT FROM pg_depend d WHERE d.classid = found.classid AND d.objid = found.oid AND d.deptype = 'e')
    -- Tables before sequences, which they may own.
    ORDER BY named.type DESC
  LOOP
    EXECUTE format('DROP %s IF EXISTS %s CASCADE', object.type, object.identity);
  END LOOP;
END $$;
`;

/**
 * Returns the script that makes the first check of a restored database begin a new incarnation. Does nothing if the
 * database has no table `incarnation` yet.
 */
export function markRestoredSql(schema: string | null): string {
  return `${searchPathSql(schema) || 'SET search_path = public;'}${markSql}`;
}

const markSql = `
DO $$
BEGIN
  IF to_regclass('migration') IS NULL THEN
    RAISE EXCEPTION 'The backup has no tables in the schema %: set DATABASE_SCHEMA as it was for the backup',
      current_setting('search_path');
  END IF;
  IF to_regclass('incarnation') IS NOT NULL THEN
    UPDATE incarnation SET server = 'restored';
  END IF;
END $$;
`;
