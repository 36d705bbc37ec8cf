/**
 * Provides benchmarks with a temporary Postgres. It has one account with one template, which has many passes on many
 * devices.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { migrate } from '@passwright/database';
import { removeEmbeddedPostgres, startEmbeddedPostgres } from '@passwright/embedded-postgres';
import pg from 'pg';
import { cpuSecondsWithChildren } from './servers.mjs';

const step = 100_000;

/**
 * Creates an empty database.
 * @returns an open client, the database's address, and functions that return the CPU time of the database and delete it
 * @param options `migrated: false` runs no migrations, because the service runs them at its start
 */
export async function emptyDatabase({ migrated = true } = {}) {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'passwright-bench-')), 'postgres');
  const server = await startEmbeddedPostgres({ dataDir });
  if (migrated) await migrate(server.url);
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  const remove = async () => {
    await client.end();
    await server.stop();
    await removeEmbeddedPostgres(dataDir);
    rmSync(dirname(dataDir), { recursive: true });
  };
  return { client, url: server.url, cpuSeconds: await cpuOf(client), remove };
}

/** Returns a function that returns the CPU time of the whole database server so far. */
async function cpuOf(client) {
  const { rows } = await client.query('SHOW data_directory');
  const postmaster = Number(readFileSync(join(rows[0].data_directory, 'postmaster.pid'), 'utf8').split('\n')[0]);
  return () => cpuSecondsWithChildren(postmaster);
}

/**
 * The passes of one template, and as many devices. Device n has `passesPerDevice` passes, beginning with pass n, and
 * has fetched them. More passes can be added; existing rows then stay unchanged.
 */
export class SeededPasses {
  count = 0;

  constructor(client, { accountId, templateId, passType, passesPerDevice }) {
    this.client = client;
    this.names = { accountId, templateId, passType };
    this.passesPerDevice = passesPerDevice;
  }

  /** Returns the id of a device. */
  device(n) {
    return `device${n}`;
  }

  /** Returns the id of a pass. */
  pass(n) {
    return `p${n}`;
  }

  async growTo(count) {
    for (let from = this.count; from < count; from += step) await this.#add(from, Math.min(from + step, count) - 1);
    for (let from = this.count; from < count; from += step) {
      await this.#register(from, Math.min(from + step, count) - 1, count);
    }
    this.count = count;
    for (const table of ['template', 'pass', 'apple_device', 'apple_registration', 'deleted_pass']) {
      await this.client.query(`VACUUM (ANALYZE) ${table}`);
    }
  }

  /** Changes `count` passes: each `every`-th pass, beginning with the first. */
  async change(count, every) {
    await this.client.query(
      `UPDATE pass SET updated_at = updated_at + interval '1 s' WHERE account_id = $1 AND template_id = $2
       AND id IN (SELECT 'p' || n * $4::int FROM generate_series(0, $3::int - 1) n)`,
      [this.names.accountId, this.names.templateId, count, every],
    );
  }

  async #add(from, to) {
    const { accountId, templateId, passType } = this.names;
    await this.client.query(
      `INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations,
         metadata, version, created_at, updated_at)
       SELECT $1, $2, 'offer', 'p' || n, 'serial' || lpad(n::text, 16, '0'), 'c' || n, '[]', '[]', '[]', '{}', 1,
         now() - interval '1 hour', now() - interval '1 hour'
       FROM generate_series($3::int, $4::int) n`,
      [accountId, templateId, from, to],
    );
    await this.client.query(
      `INSERT INTO apple_device (account_id, id, pass_type_identifier, device_library_identifier, push_token, registered_at)
       SELECT $1, 'd' || n, $2, 'device' || n, md5(n::text) || md5('x' || n), now() FROM generate_series($3::int, $4::int) n`,
      [accountId, passType, from, to],
    );
    // For every ten passes, add one deleted pass.
    await this.client.query(
      `INSERT INTO deleted_pass (account_id, serial_number, template_id, pass_id, type, issuer_name, deleted_at)
       SELECT $1, 'gone' || lpad(n::text, 16, '0'), $2, 'gone' || n, 'offer', 'Benchmark', now()
       FROM generate_series($3::int, $4::int, 10) n`,
      [accountId, templateId, from, to],
    );
  }

  async #register(from, to, count) {
    const { accountId, templateId } = this.names;
    await this.client.query(
      `INSERT INTO apple_registration (account_id, device_id, serial_number, template_id, registered_at, seen_at)
       SELECT $1, 'd' || n, 'serial' || lpad(((n + k) % $5)::text, 16, '0'), $2, now(), now()
       FROM generate_series($3::int, $4::int) n, generate_series(0, $6::int - 1) k`,
      [accountId, templateId, from, to, count, this.passesPerDevice],
    );
  }
}
