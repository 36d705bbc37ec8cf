const waitsSql = `FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/**
 * SQL that returns an empty row for each transaction that waits for a lock. On Citus, it asks all servers, because most
 * transactions wait on the server of their account.
 */
export const lockWaitsSql = process.env.TEST_CITUS_WORKERS
  ? `SELECT FROM run_command_on_all_nodes($$SELECT count(*) ${waitsSql}$$) AS server
     CROSS JOIN LATERAL generate_series(1, server.result::integer)`
  : `SELECT ${waitsSql}`;
