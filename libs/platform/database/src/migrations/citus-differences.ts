import type { ClientBase } from 'pg';

/**
 * Makes two changes for Citus before the tables are distributed: one to the transaction numbers of new rows, and one to
 * an SQL function that Citus cannot plan because it has several results.
 */
export async function adaptBefore(client: ClientBase): Promise<void> {
  await client.query(beforeSql);
}

/**
 * Creates a table that only Citus needs. Jobs wait in it, on the server of their account, until they reach the queue,
 * which is on another server.
 */
export const jobOutboxSql = `
CREATE TABLE IF NOT EXISTS job_outbox (
  account_id text COLLATE "C" NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  specs json NOT NULL,
  at_earliest boolean NOT NULL,
  added_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (account_id, id)
)`;

/*
 * A transaction has a different number on each server. The column default takes the number on the coordinator, so
 * triggers replace it with the number on the server that has the row.
 */
const beforeSql = `
CREATE OR REPLACE FUNCTION set_registered_in() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.registered_in = pg_current_xact_id();
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER pass_made_in BEFORE INSERT ON pass FOR EACH ROW EXECUTE FUNCTION set_changed_in();
CREATE OR REPLACE TRIGGER template_made_in BEFORE INSERT ON template FOR EACH ROW EXECUTE FUNCTION set_changed_in();
CREATE OR REPLACE TRIGGER apple_registration_made_in BEFORE INSERT ON apple_registration
  FOR EACH ROW WHEN (NEW.registered_in IS NOT NULL) EXECUTE FUNCTION set_registered_in();

CREATE OR REPLACE FUNCTION account_period(account text, at timestamptz, OUT starts timestamptz, OUT ends timestamptz)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  b record;
BEGIN
  SELECT current_period_start, current_period_end, period INTO b FROM billing WHERE account_id = account;
  SELECT p.starts, p.ends INTO starts, ends FROM billing_period(b.current_period_start, b.current_period_end, b.period, at) AS p;
END $$;
`;

/**
 * Restricts the trigger that deletes the key of a deleted user to the coordinator. Every server has the user, so each
 * would run the trigger, in a transaction that waits for the other servers.
 */
export function adaptToCopies(definition: string): string {
  const [head = ''] = definition.split('\n', 1);
  if (!head.includes('forget_app_user_key(')) return definition;
  return definition.replace(
    /^BEGIN$/m,
    'BEGIN\n  IF (SELECT groupid FROM pg_dist_local_group) <> 0 THEN RETURN NULL; END IF;',
  );
}

/**
 * Removes the statement that adds the job of new deliveries, because the worker servers of Citus have no queue. The
 * schedule \`webhooks.look\` finds the deliveries.
 */
export function adaptFunctions(definition: string): string {
  const start = definition.search(/IF FOUND THEN PERFORM \w{1,40}\.add_job\(/);
  if (start < 0) return definition;
  const end = definition.indexOf('END IF;', start) + 'END IF;'.length;
  return definition.slice(0, start) + definition.slice(end);
}
