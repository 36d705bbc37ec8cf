/** A Postgres of its own with one account whose template has many passes, each held by devices; for benchmarks. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, removeEmbeddedPostgres, startEmbeddedPostgres } from '@passwright/database';
import pg from 'pg';

export const accountId = 'acc_bench';
export const templateId = 'offer';
export const passType = 'pass.com.example.bench';

/** @returns an open client, the database's address, and how to throw it all away */
export async function seededDatabase({ passes, devicesPerPass }) {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'passwright-bench-')), 'postgres');
  const server = await startEmbeddedPostgres({ dataDir });
  await migrate(server.url);
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await seed(client, passes, devicesPerPass);
  const remove = async () => {
    await client.end();
    await server.stop();
    await removeEmbeddedPostgres(dataDir);
  };
  return { client, url: server.url, remove };
}

/** Device n holds `devicesPerPass` consecutive passes, so that there are as many devices as passes. */
async function seed(client, passes, devicesPerPass) {
  await client.query(`INSERT INTO account (id, name, created_at) VALUES ($1, 'Benchmark', now())`, [accountId]);
  await client.query(
    `INSERT INTO template (account_id, id, type, title, issuer_name, foreground_color, background_color, images,
       sharing_prohibited, locations, fields, back_fields, revision, created_at, updated_at)
     VALUES ($1, $2, 'offer', 'Offer', 'Benchmark', '#fff', '#123', '{}', false, '[]', '[]', '[]', 1,
       now() - interval '1 day', now() - interval '1 day')`,
    [accountId, templateId],
  );
  const step = 100_000;
  for (let from = 0; from < passes; from += step) {
    const to = Math.min(from + step, passes) - 1;
    await client.query(
      `INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations,
         metadata, version, created_at, updated_at)
       SELECT $1, $2, 'offer', 'p' || n, 'serial' || lpad(n::text, 16, '0'), 'c' || n, '[]', '[]', '[]', '{}', 1,
         now() - interval '1 hour', now() - interval '1 hour'
       FROM generate_series($3::int, $4::int) n`,
      [accountId, templateId, from, to],
    );
    await client.query(
      `INSERT INTO apple_device (account_id, id, pass_type_identifier, device_library_identifier, push_token, registered_at)
       SELECT $1, 'd' || n, $2, 'device' || n, md5(n::text) || md5('x' || n), now() FROM generate_series($3::int, $4::int) n`,
      [accountId, passType, from, to],
    );
  }
  for (let from = 0; from < passes; from += step) {
    await client.query(
      `INSERT INTO apple_registration (account_id, device_id, serial_number, template_id, registered_at, seen_at)
       SELECT $1, 'd' || n, 'serial' || lpad(((n + k) % $5)::text, 16, '0'), $2, now(), now() - interval '1 hour'
       FROM generate_series($3::int, $4::int) n, generate_series(0, $6::int - 1) k`,
      [accountId, templateId, from, Math.min(from + step, passes) - 1, passes, devicesPerPass],
    );
  }
  for (const table of ['template', 'pass', 'apple_device', 'apple_registration', 'deleted_pass']) {
    await client.query(`VACUUM (ANALYZE) ${table}`);
  }
}
