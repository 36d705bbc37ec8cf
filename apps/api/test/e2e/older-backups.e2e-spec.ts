import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, migrateJobs, migrations } from '@passwright/database';
import { DebianPostgres, debianPrograms } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { operatorRun } from '../support/operator-run.js';
import { RunningService } from '../support/running-service.js';

const isInstalled = debianPrograms() !== null;
if (!isInstalled)
  process.stderr.write('older-backups.e2e-spec.ts is skipped: install the Debian package postgresql.\n');

jest.setTimeout(240_000);

let server: DebianPostgres;
let dir: string;

/** Creates the schema as it was before this migration, with one account. */
async function schemaBefore(name: string): Promise<void> {
  const count = migrations.findIndex((migration) => migration.name.startsWith(name));
  expect(count).toBeGreaterThan(0);
  const source = new DataSource({
    type: 'postgres',
    url: server.url,
    migrations: migrations.slice(0, count),
    migrationsTableName: 'migration',
  });
  await source.initialize();
  await source.runMigrations({ transaction: 'each' });
  await source.destroy();
  await migrateJobs(server.url);
  await addAccount('acc_older');
}

const addAccount = (id: string) => sql(`INSERT INTO account (id, name, created_at) VALUES ($1, 'Older', now())`, [id]);

async function sql<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
  const source = await new DataSource({ type: 'postgres', url: server.url }).initialize();
  try {
    return await source.query<Row[]>(text, values);
  } finally {
    await source.destroy();
  }
}

const accounts = async () => (await sql<{ id: string }>('SELECT id FROM account ORDER BY id')).map(({ id }) => id);
const incarnation = async () => (await sql<{ id: string; server: string | null }>('SELECT * FROM incarnation'))[0];
const applied = async () => (await sql<{ n: number }>('SELECT count(*)::int AS n FROM migration'))[0]?.n;

const environment = () => ({ DATABASE_URL: server.url, DATA_DIR: join(dir, 'data') });

async function operator(...words: string[]): Promise<string> {
  const { code, err } = await operatorRun(words, { PATH: process.env.PATH, ...environment() });
  return code === 0 ? '' : err;
}

(isInstalled ? describe : describe.skip)('operator restore', () => {
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'passwright backup '));
    server = await DebianPostgres.startCopy('empty');
  });
  afterEach(() => {
    server.remove();
    rmSync(dir, { recursive: true });
  });

  it('the operator restores a one-file backup that is older than some tables of the current schema', async () => {
    await schemaBefore('Incarnations');
    const folder = join(dir, 'older');
    mkdirSync(folder);
    execFileSync('pg_dump', ['--format=custom', `--file=${join(folder, 'passwright.dump')}`, server.url]);
    await migrate(server.url);
    await addAccount('acc_newer');

    expect(await operator('restore', folder)).toBe('');
    expect(await accounts()).toEqual(['acc_older']);
    expect(await applied()).toBe(migrations.length);
    expect(await incarnation()).toMatchObject({ id: expect.stringMatching(/./) });
  });

  it('the operator restores a two-part backup from before the last migrations', async () => {
    await schemaBefore('EncryptedResponses');
    await sql(`INSERT INTO encryption_key (account_id, id, wrapped) VALUES ('acc_older', 'root', '\\x01')`);
    expect(await operator('backup', join(dir, 'older'))).toBe('');
    await migrate(server.url);
    await addAccount('acc_newer');

    expect(await operator('restore', join(dir, 'older'))).toBe('');
    expect(await accounts()).toEqual(['acc_older']);
    const keys = `SELECT id FROM encryption_key WHERE account_id = 'acc_older'`;
    expect(await sql(keys)).toEqual([{ id: 'root' }]);
    expect(await applied()).toBe(migrations.length);
  });

  it('the operator restores a backup whose tables were granted to a role that is missing on the server', async () => {
    await migrate(server.url);
    await addAccount('acc_older');
    await sql('CREATE ROLE reports; GRANT SELECT ON account TO reports');
    expect(await operator('backup', join(dir, 'older'))).toBe('');
    await sql('DROP OWNED BY reports; DROP ROLE reports');
    await addAccount('acc_newer');
    expect(await operator('restore', join(dir, 'older'))).toBe('');
    expect(await accounts()).toEqual(['acc_older']);
  });

  it('a restore leaves the database unchanged if a part of the backup is damaged', async () => {
    await migrate(server.url);
    await addAccount('acc_older');
    await sql(`INSERT INTO encryption_key (account_id, id, wrapped) VALUES ('acc_older', 'root', '\\x01')`);
    expect(await operator('backup', join(dir, 'older'))).toBe('');
    const keys = join(dir, 'older', 'keys.dump');
    writeFileSync(keys, readFileSync(keys).subarray(0, -20));
    await addAccount('acc_newer');
    const before = await incarnation();

    expect(await operator('restore', join(dir, 'older'))).toContain('The database is as it was');
    expect(await accounts()).toEqual(['acc_newer', 'acc_older']);
    expect(await incarnation()).toEqual(before);
  });

  it('a restore reports that it could not migrate the schema; the next start begins a new incarnation', async () => {
    await schemaBefore('EncryptionKeys');
    await sql('CREATE TABLE encryption_key (own integer)');
    const folder = join(dir, 'older');
    mkdirSync(folder);
    execFileSync('pg_dump', ['--format=custom', `--file=${join(folder, 'passwright.dump')}`, server.url]);
    await sql('DROP TABLE encryption_key');
    await migrate(server.url);
    await (await RunningService.start(environment())).stop();
    const { id: before } = (await incarnation()) ?? {};

    const said = await operator('restore', folder);
    expect(said).toContain('brought up to date: relation "encryption_key" already exists');
    expect(said).not.toContain('    at ');
    await sql('DROP TABLE encryption_key');
    await migrate(server.url);
    await (await RunningService.start(environment())).stop();
    expect((await incarnation())?.id).not.toBe(before);
  });
});
