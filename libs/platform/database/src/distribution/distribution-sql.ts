import { BY_ROWS } from './row-triggers.js';

/** The tables that each server has in full, because their rows belong to no single account. */
export const ON_EVERY_SERVER = ['app_user', 'user_code', 'user_identity', 'known_address', 'incarnation'];

/** Finds the version of Citus, the number of servers that can hold rows, and the smallest limit of prepared transactions. */
export const clusterSql = `
  SELECT extversion AS version,
    (SELECT count(*)::int FROM pg_dist_node WHERE noderole = 'primary' AND isactive AND shouldhaveshards) AS servers,
    (SELECT min(result)::int FROM run_command_on_all_nodes('SHOW max_prepared_transactions')) AS prepared
  FROM pg_extension WHERE extname = 'citus'`;

/** Lists the tables, in the order in which they are distributed. The key is null for a table on every server. */
export const tablesSql = `
  SELECT t.relname AS name, CASE WHEN t.relname <> ALL ($1) THEN a.attname END AS key,
    EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = t.oid) AS "isDistributed"
  FROM pg_class t
  JOIN pg_index i ON i.indrelid = t.oid AND i.indisprimary
  JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
  WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
    AND (a.attname = 'account_id' OR t.relname = 'account' OR t.relname = ANY ($1))
  ORDER BY t.relname <> ALL ($1), t.relname <> 'account', t.relname`;

/**
 * Lists the foreign keys, with the statements that drop and create them. A table without an account cannot refer to a
 * table of accounts, so its foreign keys are not created again.
 */
export const foreignKeysSql = `
  WITH own AS (
    SELECT c.oid, c.relname = ANY ($1) AS everywhere FROM pg_class c WHERE c.relname = ANY ($1 || $2)
      AND c.relnamespace = current_schema()::regnamespace
  )
  SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
    CASE WHEN conrelid IN (SELECT oid FROM own) AND NOT coalesce((SELECT everywhere FROM own WHERE oid = conrelid)
        AND NOT (SELECT everywhere FROM own WHERE oid = confrelid), false)
      THEN format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) END AS create
  FROM pg_constraint
  WHERE contype = 'f' AND conparentid = 0 AND confrelid IN (SELECT oid FROM own)`;

/** Lists the triggers, with the statements that drop and create them, and the definition of their functions. */
export const triggersSql = `
  SELECT format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass) AS drop, pg_get_triggerdef(t.oid) AS create,
    tgrelid::regclass::text AS table, regexp_replace(f.proname, '${BY_ROWS}$', '') AS function,
    array_remove(ARRAY[tgoldtable, tgnewtable]::text[], NULL) AS rows,
    pg_get_functiondef((SELECT o.oid FROM pg_proc o WHERE o.pronamespace = f.pronamespace
      AND o.proname = regexp_replace(f.proname, '${BY_ROWS}$', '') AND o.pronargs = 0)) AS definition
  FROM pg_trigger t JOIN pg_proc f ON f.oid = t.tgfoid JOIN pg_class c ON c.oid = t.tgrelid
  WHERE NOT tgisinternal AND tgparentid = 0 AND c.relnamespace = current_schema()::regnamespace
  ORDER BY tgrelid::regclass::text, tgname`;

/** Lists the definitions of the functions, which all servers need. */
export const functionsSql = `
  SELECT pg_get_functiondef(p.oid) AS definition FROM pg_proc p
  WHERE p.pronamespace = current_schema()::regnamespace AND p.prokind = 'f' AND right(p.proname, ${BY_ROWS.length}) <> '${BY_ROWS}'
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
  ORDER BY p.oid`;
