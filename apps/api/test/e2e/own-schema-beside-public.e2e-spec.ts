import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@passwright/database';
import { DebianPostgres, debianPrograms } from '@passwright/testing';
import { Client } from 'pg';
import { outputOf } from '../../src/operator/postgres-programs.js';
import { operatorRun } from '../support/operator-run.js';

const isInstalled = debianPrograms() !== null;
if (!isInstalled)
  process.stderr.write('own-schema-beside-public.e2e-spec.ts is skipped: install the Debian package postgresql.\n');

jest.setTimeout(240_000);

(isInstalled ? describe : describe.skip)('operator commands beside a service with a schema', () => {
  let server: DebianPostgres;
  let client: Client;
  let dir: string;
  const folder = () => join(dir, 'backup');
  const insert = (schema: string, name: string) =>
    client.query(
      `WITH account AS (INSERT INTO ${schema}.account (id, name, created_at) VALUES ('acc_' || $1, $1, now()) RETURNING id)
       INSERT INTO ${schema}.encryption_key (account_id, id) SELECT id, 'of ${schema}' FROM account`,
      [name],
    );

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'passwright beside public '));
    server = await DebianPostgres.startCopy('migrated');
    client = new Client(server.url);
    await client.connect();
    await client.query('CREATE SCHEMA second; CREATE SCHEMA of_host; CREATE TABLE of_host.ticket AS SELECT 1 AS id');
    await migrate(server.url, { schema: 'second' });
    for (const schema of ['public', 'second']) await insert(schema, 'saved');
  });
  afterAll(async () => {
    await client.end();
    server.remove();
    rmSync(dir, { recursive: true });
  });

  function operator(words: readonly string[], schema?: string) {
    const given = { PATH: process.env.PATH ?? '', DATABASE_URL: server.url, DATA_DIR: join(dir, 'data') };
    return operatorRun(words, { ...given, ...(schema !== undefined && { DATABASE_SCHEMA: schema }) });
  }

  async function accountsOf(schema: string): Promise<string[]> {
    const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${schema}.account ORDER BY name`);
    return rows.map(({ name }) => name);
  }

  /** Returns a dump as SQL. */
  async function scriptOf(file: string): Promise<string> {
    const script = join(dir, `${file}.sql`);
    const options = [`--file=${script}`, join(folder(), file)];
    for await (const part of outputOf('pg_restore', options, { PATH: process.env.PATH })) expect(part).toHaveLength(0);
    return readFile(script, 'utf8');
  }

  it('the service rejects a migration to a missing schema, and prints the statement that creates it', async () => {
    const { code, err } = await operator(['migrate'], 'third');
    expect(code).toBe(1);
    expect(err).toMatch(/^The database already has an installation in the schema "public".*passwright;$/m);
    const { rows } = await client.query(`SELECT to_regnamespace('third')::text AS third`);
    expect(rows).toEqual([{ third: null }]);
    expect(await operator(['migrate'], 'second')).toMatchObject({ code: 0 });
  });

  it('a backup contains the tables of the service and its host, but nothing of the other service', async () => {
    expect(await operator(['backup', folder()])).toMatchObject({ code: 0, err: '' });
    const [data, keys] = [await scriptOf('database.dump'), await scriptOf('keys.dump')];
    expect(data).toMatch(/CREATE SCHEMA graphile_worker.*COPY public\.account /s);
    expect(data).toContain('CREATE TABLE of_host.ticket');
    expect(data).not.toMatch(/\bsecond(_queue)?\b/);
    expect(data).not.toContain('of public');
    expect(keys).toContain('of public');
    expect(keys).not.toContain('of second');
  });

  it('a backup can be restored without changing the other service', async () => {
    await client.query('DROP SCHEMA of_host CASCADE');
    await insert('public', 'later');
    await insert('second', 'later');
    expect(await operator(['restore', folder()])).toMatchObject({ code: 0, err: '' });
    expect(await accountsOf('public')).toEqual(['saved']);
    expect(await accountsOf('second')).toEqual(['later', 'saved']);
  });
});
