import { MIGRATION_LOCK } from './migrate.js';

/**
 * Drops everything in the service's schemas except the objects of extensions. The schema `public` itself stays, because
 * before Postgres 15 it belongs to another role. Nodes that start meanwhile wait until the transaction ends.
 */
export const emptySchemasSql = `
SELECT pg_advisory_xact_lock(${MIGRATION_LOCK});
SET LOCAL client_min_messages = warning;
DROP SCHEMA IF EXISTS graphile_worker CASCADE;
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
 * Makes the first check of a restored database begin an incarnation. Does nothing in a database from before that table
 * existed.
 */
export const markRestoredSql = `
DO $$
BEGIN
  IF to_regclass('incarnation') IS NOT NULL THEN
    UPDATE incarnation SET server = 'restored';
  END IF;
END $$;
`;
