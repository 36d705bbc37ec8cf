import { vacuumed } from '@passwright/testing';
import type { DataSource } from 'typeorm';

const STEP = 20_000;
/** The number of accounts below which the planner rightly scans the whole table. */
const FEWEST_ACCOUNTS = 1000;
/** The number of counters that an account's simultaneous writers create (docs/decisions/0007). */
const COUNTERS = 4;

/**
 * Copies an account with one template and one pass on a phone. The copies cannot be decrypted. Adds empty accounts if
 * there are fewer than 1,000.
 * @param model the id of the account to copy
 */
export async function addPassesOfOthers(
  database: DataSource,
  model: string,
  { accounts, passes }: { readonly accounts: number; readonly passes: number },
): Promise<void> {
  const last = Math.max(accounts, FEWEST_ACCOUNTS) - 1;
  await database.query(copySql('account', `'id', 'other-' || n, 'founder', NULL`), [model, 0, last]);
  await database.query(copySql('template', `'account_id', 'other-' || n`), [model, 0, accounts - 1]);
  const account = `'account_id', 'other-' || n % ${accounts}`;
  const serial = `'serial_number', 'other-' || n`;
  const rows = {
    pass: `${account}, ${serial}, 'id', 'p' || n, 'code', 'c' || n`,
    apple_device: `${account}, 'id', 'd' || n, 'device_library_identifier', 'device-' || n, 'push_token', md5(n::text)`,
    apple_registration: `${account}, ${serial}, 'device_id', 'd' || n`,
  };
  for (const [table, changes] of Object.entries(rows)) {
    for (let from = 0; from < passes; from += STEP)
      await database.query(copySql(table, changes), [model, from, Math.min(from + STEP, passes) - 1]);
  }
  const counter = `'account_id', 'other-' || n % ${last + 1}, 'shard', n`;
  await database.query(copySql('pass_use', counter), [model, 0, COUNTERS * (last + 1) - 1]);
  await vacuumed(database, 'account', 'template', 'pass_use', ...Object.keys(rows));
}

/** Returns the statement that copies the model's row for each `n` from $2 to $3, with changes. */
function copySql(table: string, changes: string): string {
  return `INSERT INTO ${table} SELECT copy.* FROM ${table} AS model, generate_series($2::int, $3::int) AS n,
    jsonb_populate_record(model, jsonb_build_object(${changes})) AS copy
    WHERE model.${table === 'account' ? 'id' : 'account_id'} = $1`;
}
