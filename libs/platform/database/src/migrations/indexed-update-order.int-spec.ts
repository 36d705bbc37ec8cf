import { migratedDatabase, type TestDatabase } from '@passwright/testing';
import { Client } from 'pg';

let database: TestDatabase;
/** The tests use one connection, because each connection has its own plans. */
let client: Client;

beforeEach(async () => {
  database = await migratedDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query('ALTER TABLE pass_update_order SET (autovacuum_enabled = off)');
  await client.query(`INSERT INTO account (id, name, created_at) VALUES ('a', 'A', now())`);
  await client.query(
    `INSERT INTO template SELECT 'a', 't', 'offer', '', '', '', '', NULL, '{}', false, '[]', '[]', '[]', NULL, NULL,
       NULL, NULL, 1, now(), now()`,
  );
  await issue(1, 50);
  await client.query('ANALYZE pass_update_order');
});
afterEach(async () => {
  await client.end();
  await database.drop();
});

const issue = (first: number, last: number) =>
  client.query(
    `INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations,
       metadata, version, created_at, updated_at)
     SELECT 'a', 't', 'offer', n, n, n, '[]', '[]', '[]', '{}', 1, now(), now() FROM generate_series($1::int, $2) n`,
    [first, last],
  );
const update = (pass: number) =>
  client.query(
    `UPDATE pass SET updated_at = updated_at + interval '1 s' WHERE account_id = 'a' AND template_id = 't' AND id = $1`,
    [String(pass)],
  );
const remove = (pass: number) =>
  client.query(`DELETE FROM pass WHERE account_id = 'a' AND template_id = 't' AND id = $1`, [String(pass)]);

/** Counts how often `change` reads all of `pass_update_order`. */
async function fullReads(change: () => Promise<unknown>): Promise<number> {
  const counted = async () => {
    const { rows } = await client.query<{ reads: number }>(
      `SELECT seq_scan::int AS reads FROM pg_stat_xact_user_tables WHERE relid = 'pass_update_order'::regclass`,
    );
    return rows[0]?.reads ?? NaN;
  };
  await client.query('BEGIN');
  const before = await counted();
  await change();
  const after = await counted();
  await client.query('COMMIT');
  return after - before;
}

it.each([
  ['an update', update],
  ['a deletion', remove],
])('%s of a pass finds its row by index, even with a query plan made before a mass write', async (_, change) => {
  // PL/pgSQL keeps a plan after five executions.
  for (let pass = 1; pass <= 7; pass++) await change(pass);
  await issue(1001, 61_000);
  expect(await fullReads(() => change(1001))).toBe(0);
});

it('updates and deletions of many passes leave one row in the update order for each remaining pass', async () => {
  await client.query(`UPDATE pass SET updated_at = updated_at + interval '1 s' WHERE id::int <= 30`);
  await client.query(`DELETE FROM pass WHERE id::int % 2 = 0`);
  const { rows } = await client.query(
    `SELECT count(*)::int AS passes, count(o)::int AS placed, (SELECT count(*)::int FROM pass_update_order) AS places
     FROM pass p LEFT JOIN pass_update_order o
       ON (o.account_id, o.template_id, o.pass_id, o.updated_at) = (p.account_id, p.template_id, p.id, p.updated_at)`,
  );
  expect(rows).toEqual([{ passes: 25, placed: 25, places: 25 }]);
});
