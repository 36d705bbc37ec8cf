import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as database from '@passwright/database';
import { connect } from './connect.js';
import { DebianPostgres, debianPrograms } from './debian-postgres.js';

jest.mock('@passwright/database', () => {
  const actual = jest.requireActual<typeof database>('@passwright/database');
  return { ...actual, migrate: jest.fn(actual.migrate) };
});

const isInstalled = debianPrograms() !== null;
if (!isInstalled)
  process.stderr.write('debian-postgres.int-spec.ts is skipped: install the Debian package postgresql.\n');

jest.setTimeout(60_000);

(isInstalled ? it : it.skip)('each copy of a migrated Debian server has our tables and only its own rows', async () => {
  const servers = [await DebianPostgres.startCopy('migrated'), await DebianPostgres.startCopy('migrated')];
  try {
    const counts: unknown[] = [];
    for (const { url } of servers) {
      const client = await connect(url, 'passwright debian test');
      const { rows } = await client.query<{ accounts: number }>('SELECT count(*)::int AS accounts FROM account');
      counts.push(...rows);
      await client.query(`INSERT INTO account (id, name, created_at) VALUES ('acc_copy', 'Copy', now())`);
      await client.end();
    }
    expect(counts).toEqual([{ accounts: 0 }, { accounts: 0 }]);
  } finally {
    for (const server of servers) server.remove();
  }
});

const MEMORY = '/dev/shm';

describe('the data that a run creates only once', () => {
  const { PASSWRIGHT_TEST_FOLDER, TMPDIR } = process.env;
  let shared: string;

  beforeEach(() => {
    shared = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), `passwright-tests-${process.pid}-`));
    chmodSync(shared, 0o755);
    process.env.PASSWRIGHT_TEST_FOLDER = shared;
    // Keeps the folders of servers out of memory.
    process.env.TMPDIR = tmpdir();
  });
  afterEach(() => {
    rmSync(shared, { recursive: true });
    for (const [name, value] of Object.entries({ PASSWRIGHT_TEST_FOLDER, TMPDIR })) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  (isInstalled ? it : it.skip)('a copy starts even if the shared folder is in another file system', async () => {
    const server = await DebianPostgres.startCopy('empty');
    server.remove();
    expect(readdirSync(shared)).toEqual(['debian-empty']);
  });

  (isInstalled ? it : it.skip)('a migration that fails leaves no server and no data', async () => {
    let url = '';
    jest.mocked(database.migrate).mockImplementationOnce((given) => {
      url = given;
      return Promise.reject(new Error('a broken migration'));
    });
    await expect(DebianPostgres.startCopy('migrated')).rejects.toThrow('a broken migration');
    expect(readdirSync(shared)).toEqual([]);
    await expect(connect(url, 'passwright debian test')).rejects.toThrow('ECONNREFUSED');
  });
});
