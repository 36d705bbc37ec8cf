/**
 * Measures how many bytes a pass takes in Postgres: rows, indexes, and the WAL of their creation, per row of each
 * table. Ids are random, as in production, because random ids leave more free space in indexes. The pass has one front
 * field and one back field. Prints the figures for parameters.json.
 *
 *   npm run build && node tools/plan/bytes.mjs [passes, default 50000]
 */
import { emptyDatabase } from '../bench/seeded-database.mjs';

const passes = Number(process.argv[2] ?? 50_000);
/** The number of rows in one statement, about as many as in a batch. */
const STEP = 1000;

const account = `'acc_' || left(md5('account'), 22)`;
const id = (kind) => `'${kind}_' || left(md5('${kind}' || n), 22)`;
const rows = {
  pass: `INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations,
      metadata, version, created_at, updated_at)
    SELECT ${account}, 'loyalty', 'membership', ${id('pass')}, ${id('serial')}, ${id('code')},
      jsonb_build_array(jsonb_build_object('key', 'points', 'label', 'Points', 'value', n::text, 'changeMessage', 'You now have %@ points')),
      jsonb_build_array(jsonb_build_object('key', 'help', 'label', 'Help', 'value', 'hello@example.com')), '[]',
      jsonb_build_object('crm', 'c-' || n), 1, now(), now() FROM generate_series($1::int, $2::int) n`,
  apple_device: `INSERT INTO apple_device (account_id, id, pass_type_identifier, device_library_identifier, push_token, registered_at)
    SELECT ${account}, ${id('dev')}, 'pass.com.example.large', md5('library' || n), md5(n::text) || md5('x' || n), now()
    FROM generate_series($1::int, $2::int) n`,
  apple_registration: `INSERT INTO apple_registration (account_id, device_id, serial_number, template_id, registered_at, seen_at)
    SELECT ${account}, ${id('dev')}, ${id('serial')}, 'loyalty', now(), now() FROM generate_series($1::int, $2::int) n`,
  google_resource: `INSERT INTO google_resource (account_id, issuer_id, id, template_id, type, serial_number, sent_hash, sent_at, created_at)
    SELECT ${account}, '3388000000012345678', ${id('serial')}, 'loyalty', 'membership', ${id('serial')},
      sha256(n::text::bytea), now(), now() FROM generate_series($1::int, $2::int) n`,
  member: `INSERT INTO member (account_id, id, template_id, pass_id, email, name, status, data, reminders_sent, reminded_until,
      search, version, created_at, updated_at)
    SELECT ${account}, n, 'loyalty', ${id('pass')}, 'member' || n || '@example.com', 'Member ' || n, 'active', '{}', '{}', now(),
      array_to_tsvector(ARRAY['acc/member' || n]), 1, now(), now() FROM generate_series($1::int, $2::int) n`,
  webhook_event: `INSERT INTO webhook_event (account_id, id, type, occurred_at, data)
    SELECT ${account}, 'evt_' || lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0') || left(md5(n::text), 14),
      'pass.updated', now(), jsonb_build_object('templateId', 'loyalty', 'passId', ${id('pass')})
    FROM generate_series($1::int, $2::int) n`,
};
/** The tables that triggers fill when a row is inserted into another table, by the name of the other table. */
const beside = { pass: ['pass_update_order'] };

const database = await emptyDatabase();
const { client } = database;
try {
  await client.query(`
    INSERT INTO account (id, name, created_at) VALUES (${account}, 'Large', now());
    INSERT INTO template (account_id, id, type, title, issuer_name, foreground_color, background_color, images,
      sharing_prohibited, code_format, locations, fields, back_fields, revision, created_at, updated_at)
    VALUES (${account}, 'loyalty', 'membership', 'Large', 'Large', '#fff', '#000', '{}', false, 'qr', '[]', '[]', '[]', 1, now(), now());
    INSERT INTO membership_settings (account_id, template_id, reminders, time_zone, reminders_since, last_member_id, version,
      created_at, updated_at)
    VALUES (${account}, 'loyalty', '[]', 'UTC', now(), ${passes}, 1, now(), now())`);
  for (const table of Object.keys(rows)) console.log(JSON.stringify({ table, ...(await measured(table)) }));
} finally {
  await database.remove();
}

async function measured(table) {
  const before = await position();
  for (let from = 1; from <= passes; from += STEP) {
    await client.query(rows[table], [from, Math.min(from + STEP - 1, passes)]);
  }
  const wal = (await position()) - before;
  const sizes = await Promise.all([table, ...(beside[table] ?? [])].map(sizeOf));
  const perRow = (bytes) => Math.round(bytes / passes);
  return {
    rowBytes: perRow(sizes.reduce((all, { heap }) => all + heap, 0)),
    indexBytes: perRow(sizes.reduce((all, { indexes }) => all + indexes, 0)),
    walBytes: perRow(wal),
  };
}

async function position() {
  const { rows: found } = await client.query(
    `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS at`,
  );
  return found[0].at;
}

/** Returns the bytes of a table and its partitions. Some tables have all their rows in partitions. */
async function sizeOf(table) {
  const { rows: found } = await client.query(
    `SELECT sum(pg_table_size(oid))::float8 AS heap, sum(pg_indexes_size(oid))::float8 AS indexes FROM pg_class
     WHERE oid = $1::regclass OR oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = $1::regclass)`,
    [table],
  );
  return found[0];
}
