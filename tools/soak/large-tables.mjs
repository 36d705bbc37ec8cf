/**
 * Migrates a database with large tables while clients write. The database has an earlier schema, two million passes, as
 * many devices and registrations, half as many events and audit entries, and a quarter as many members. Prints how long
 * each migration takes, and the longest statement of a client meanwhile.
 *
 * Fails if a client's statement fails or waits for more than two seconds.
 *
 *   npm run soak:large-tables -- [passes, default 2000000]
 */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { migrate, migrations } from '@passwright/database';
import { requireServer, soak } from './lib/stage.mjs';

const passes = Number(process.argv[2] ?? 2_000_000);
/** The first migration that the test runs on large tables. */
const FROM = 'Incarnations1764400000000';
/**
 * This migration builds an index of members under a lock. It was released before this test existed and cannot change,
 * so the test prints its waits separately.
 */
const BLOCKING = 'EncryptionKeys1764800000000';
const STEP = 100_000;
const STALL_MS = 2000;
const LOOK_MS = 5;

requireServer();

function seconds(ms) {
  return (ms / 1000).toFixed(1);
}

/** Creates the schema as it was before a migration. */
async function migrateUpTo(url, name) {
  const earlier = migrations.slice(
    0,
    migrations.findIndex((migration) => migration.name === name),
  );
  const type = /** @type {const} */ ('postgres');
  const dataSource = new DataSource({ type, url, migrations: earlier, migrationsTableName: 'migration', poolSize: 1 });
  await dataSource.initialize();
  await dataSource.runMigrations({ transaction: 'each' });
  await dataSource.destroy();
}

async function seed(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`
    INSERT INTO account (id, name, created_at) VALUES ('acc', 'Large', now());
    INSERT INTO template (account_id, id, type, title, issuer_name, foreground_color, background_color, images,
      sharing_prohibited, code_format, locations, fields, back_fields, revision, created_at, updated_at)
    VALUES ('acc', 'offer', 'offer', 'Large', 'Large', '#fff', '#000', '{}', false, 'qr', '[]', '[]', '[]', 1, now(), now());
    INSERT INTO membership_settings (account_id, template_id, reminders, time_zone, reminders_since, last_member_id, version,
      created_at, updated_at)
    VALUES ('acc', 'offer', '[]', 'UTC', now(), ${passes}, 1, now(), now())`);
  for (let from = 1; from <= passes; from += STEP) {
    const to = Math.min(from + STEP - 1, passes);
    for (const sql of Object.values(rows)) await client.query(sql, [from, to]);
  }
  await client.query('VACUUM (ANALYZE)');
  await client.end();
}

const rows = {
  passes: `INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations,
      metadata, version, created_at, updated_at)
    SELECT 'acc', 'offer', 'offer', 'p' || n, 'serial' || lpad(n::text, 16, '0'), 'c' || n,
      jsonb_build_array(jsonb_build_object('key', 'points', 'label', 'Points', 'value', n::text)), '[]', '[]', '{}', 1,
      now() - interval '1 hour', now() - interval '1 hour' FROM generate_series($1::int, $2::int) n`,
  devices: `INSERT INTO apple_device (account_id, id, pass_type_identifier, device_library_identifier, push_token, registered_at)
    SELECT 'acc', 'd' || n, 'pass.com.example.large', 'device' || n, md5(n::text) || md5('x' || n), now()
    FROM generate_series($1::int, $2::int) n`,
  registrations: `INSERT INTO apple_registration (account_id, device_id, serial_number, template_id, registered_at, seen_at)
    SELECT 'acc', 'd' || n, 'serial' || lpad(n::text, 16, '0'), 'offer', now(), now() FROM generate_series($1::int, $2::int) n`,
  members: `INSERT INTO member (account_id, id, template_id, pass_id, email, name, status, data, reminders_sent, reminded_until,
      search, version, created_at, updated_at)
    SELECT 'acc', n, 'offer', 'p' || n, 'member' || n || '@example.com', 'Member ' || n, 'active', '{}', '{}', now(),
      array_to_tsvector(ARRAY['acc/member' || n]), 1, now(), now() FROM generate_series($1::int, $2::int, 4) n`,
  deletedPasses: `INSERT INTO deleted_pass (account_id, serial_number, template_id, pass_id, type, issuer_name, deleted_at)
    SELECT 'acc', 'gone' || lpad(n::text, 18, '0'), 'offer', 'gone' || n, 'offer', 'Large', now()
    FROM generate_series($1::int, $2::int, 10) n`,
  events: `INSERT INTO webhook_event (account_id, id, type, occurred_at, data)
    SELECT 'acc', 'evt_' || lpad(to_hex((extract(epoch FROM now() - interval '1 hour') * 1000)::bigint), 12, '0') || n,
      'pass.created', now() - interval '1 hour', jsonb_build_object('passId', 'p' || n)
    FROM generate_series($1::int, $2::int, 2) n`,
  auditEvents: `INSERT INTO audit_event (account_id, id, at, actor_kind, actor_id, action, target_kind, target_id)
    SELECT 'acc', 'aud' || n, now() - n * interval '1 second', 'system', NULL, 'pass.created', 'pass', 'p' || n
    FROM generate_series($1::int, $2::int, 2) n`,
};

/**
 * Runs `migrate` like a node at its start.
 * @returns the duration of each migration, and when it began and ended
 */
async function migrateWatched(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const done = async () => (await client.query('SELECT name FROM migration ORDER BY id')).rows.map(({ name }) => name);
  const before = (await done()).length;
  const ends = [];
  const begunAt = performance.now();
  const migrating = migrate(url).then(() => true);
  migrating.catch(() => undefined);
  // If the migration fails, `Promise.race` rejects and ends the loop.
  while (!(await Promise.race([migrating, pause(LOOK_MS, false)]))) {
    const names = (await done()).slice(before);
    for (const name of names.slice(ends.length)) ends.push({ name, at: performance.now() });
  }
  for (const name of (await done()).slice(before + ends.length)) ends.push({ name, at: performance.now() });
  await client.end();
  return ends.map(({ name, at }, index) => {
    const from = ends[index - 1]?.at ?? begunAt;
    return [name, { ms: at - from, from, to: at }];
  });
}

/** Clients that read and write on their own connections. Records the duration of each statement. */
class Clients {
  statements = [];
  failures = new Set();
  #stopping = false;
  #running = [];

  constructor(url) {
    this.url = url;
  }

  async start() {
    const pick = () => 1 + Math.floor(Math.random() * passes);
    let added = passes;
    const kinds = {
      'read a pass': () => [
        `SELECT * FROM pass WHERE account_id = 'acc' AND template_id = 'offer' AND id = $1`,
        `p${pick()}`,
      ],
      'change a pass': () => [
        `UPDATE pass SET version = version + 1, updated_at = now()
          WHERE account_id = 'acc' AND template_id = 'offer' AND id = $1`,
        `p${pick()}`,
      ],
      'issue a pass': () => [
        `INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations,
           metadata, version, created_at, updated_at)
         SELECT 'acc', 'offer', 'offer', 'p' || $1, 'serial' || lpad($1::text, 16, '0'), 'c' || $1, '[]', '[]', '[]', '{}', 1,
           now(), now()`,
        String((added += 1)),
      ],
      'register a device': () => [
        `INSERT INTO apple_registration (account_id, device_id, serial_number, template_id, registered_at, seen_at)
         VALUES ('acc', 'd' || $1, 'serial' || lpad((1 + $1::int % ${passes})::text, 16, '0'), 'offer', now(), now())
         ON CONFLICT DO NOTHING`,
        String(pick()),
      ],
      'change a member': () => [
        `UPDATE member SET version = version + 1, updated_at = now() WHERE account_id = 'acc' AND id = $1`,
        String(pick()),
      ],
      'record an audit entry': () => [
        `INSERT INTO audit_event (account_id, id, at, actor_kind, action, target_kind)
         VALUES ('acc', $1, now(), 'system', 'pass.created', 'pass')`,
        `live${Math.random()}`,
      ],
    };
    for (const [what, statement] of Object.entries(kinds)) {
      const client = new pg.Client({ connectionString: this.url });
      await client.connect();
      this.#running.push(this.#repeat(client, what, statement));
    }
  }

  async stop() {
    this.#stopping = true;
    await Promise.all(this.#running);
  }

  async #repeat(client, what, statement) {
    while (!this.#stopping) {
      const [text, value] = statement();
      const at = performance.now();
      await client.query(text, [value]).catch((error) => this.failures.add(`${what}: ${error.message}`));
      const end = performance.now();
      this.statements.push({ what, at, end, ms: end - at });
      await pause(LOOK_MS);
    }
    await client.end();
  }
}

await soak(async (stage) => {
  const settings = { shared_buffers: '1GB', max_wal_size: '4GB', maintenance_work_mem: '256MB' };
  const { url } = await stage.cluster({ settings });
  await migrateUpTo(url, FROM);
  const seedingAt = performance.now();
  await seed(url);
  console.log(`${passes} passes seeded in ${seconds(performance.now() - seedingAt)} s`);
  const clients = new Clients(url);
  await clients.start();
  const durations = await migrateWatched(url);
  await clients.stop();
  for (const [name, { ms, from, to }] of durations) {
    const longest = Math.max(
      0,
      ...clients.statements.filter(({ at, end }) => end > from && at < to).map(({ ms: took }) => took),
    );
    console.log(`${name}: ${seconds(ms)} s, longest statement ${longest.toFixed(0)} ms`);
  }
  const blocked = durations.find(([name]) => name === BLOCKING)?.[1] ?? { from: Infinity, to: -Infinity };
  const judged = clients.statements.filter(({ at, end }) => end < blocked.from || at > blocked.to);
  const longest = judged.reduce((a, b) => (a.ms > b.ms ? a : b));
  console.log(
    `${clients.statements.length} statements of clients, the longest outside of ${BLOCKING} ${longest.ms.toFixed(0)} ms: ${longest.what}`,
  );
  stage.check(longest.ms <= STALL_MS, `a client waited ${longest.ms.toFixed(0)} ms to ${longest.what}`);
  for (const failure of clients.failures) stage.failures.add(failure);
});
