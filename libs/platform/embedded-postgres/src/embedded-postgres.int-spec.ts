import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { EmbeddedPostgresFailed } from './embedded-postgres-failed.js';
import { removeEmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.js';
import { launchProcess, sourcesAreOpen } from './launcher.fixtures.js';

// Allow two minutes, because starts and recoveries are slow on a busy disk.
jest.setTimeout(120_000);

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
const asRoot = isRoot ? describe : describe.skip;
const asOthers = isRoot && sourcesAreOpen ? describe : describe.skip;
const folders: string[] = [];

/** Returns a data directory that does not exist yet, in a path with a space, a quote and a non-ASCII letter. */
function newDataDir(mode = 0o755): string {
  const parent = mkdtempSync(join(tmpdir(), "embedded pöstgres' "));
  chmodSync(parent, mode);
  folders.push(join(parent, 'data'));
  return join(parent, 'data');
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const postmasterPid = (dataDir: string) =>
  Number(readFileSync(join(dataDir, 'cluster/postmaster.pid'), 'utf8').split('\n')[0]);
const isUp = (url: string) =>
  query(url, 'SELECT 1').then(
    () => true,
    () => false,
  );
/** Returns the start time of the server; null while it is not running. */
const startedAt = (url: string) =>
  query(url, 'SELECT pg_postmaster_start_time()::text AS at').then(
    ([row]) => (row as { at: string }).at,
    () => null,
  );
/** Returns true while a process holds the lock for starts and stops. */
const isStarting = (dataDir: string) =>
  readdirSync(dataDir).some((name) => name.startsWith('lock.') && statSync(join(dataDir, name)).size > 0);
const test = { durable: false };

afterAll(async () => {
  for (const dataDir of folders)
    await removeEmbeddedPostgres(dataDir).then(() => removeEmbeddedPostgres(join(dataDir, '..')));
});

describe('a first start', () => {
  let dataDir = '';
  let url = '';
  let stop = (): Promise<void> => Promise.resolve();
  beforeAll(async () => {
    dataDir = newDataDir();
    ({ url, stop } = await startEmbeddedPostgres({ dataDir, database: 'my "passes"', durable: true }));
  });
  afterAll(() => stop());

  it('a first start creates the named database in UTF-8, with the same collation rules on every machine', async () => {
    const [row] = await query(
      url,
      `SELECT current_database() AS name, lower('ÄÉЖ') AS lower, current_setting('server_encoding') AS encoding`,
    );
    expect(row).toEqual({ name: 'my "passes"', lower: 'äéж', encoding: 'UTF8' });
    const [locale] = await query(
      url,
      'SELECT datlocprovider, datlocale FROM pg_database WHERE datname = current_database()',
    );
    expect(locale).toEqual({ datlocprovider: 'b', datlocale: 'C.UTF-8' });
  });

  it('a first start makes commits durable, and sets the time zone to UTC', async () => {
    const settings = `SELECT current_setting('fsync') || current_setting('synchronous_commit') || current_setting('full_page_writes') AS durable, current_setting('timezone') AS zone`;
    expect(await query(url, settings)).toEqual([{ durable: 'ononon', zone: 'UTC' }]);
  });

  it('a commit does not wait until a new WAL segment of 16 MB of zeros is on the disk', async () => {
    // The counters include the first segment, which `initdb` has filled.
    await query(url, `SELECT pg_stat_reset_shared('io')`);
    await query(url, 'CREATE TABLE filled (x int)');
    await query(url, 'SELECT pg_switch_wal()');
    await query(url, 'INSERT INTO filled VALUES (1)');
    const written = `SELECT sum(writes)::int AS segments, sum(write_bytes)::int AS bytes FROM pg_stat_io WHERE context = 'init'`;
    const [row] = await query(url, written);
    expect(row?.segments).toBeGreaterThan(0);
    expect(row?.bytes).toBe(row?.segments);
  });

  it('the server listens only on 127.0.0.1, without a Unix socket', async () => {
    const settings = `SELECT current_setting('listen_addresses') AS addresses, current_setting('unix_socket_directories') AS sockets`;
    expect(await query(url, settings)).toEqual([{ addresses: '127.0.0.1', sockets: '' }]);
  });

  it('the server rejects clients without the password, which only the owner of the folder can read', async () => {
    const wrong = new URL(url);
    wrong.password = 'guess';
    await expect(query(wrong.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    wrong.password = '';
    await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow(/password/);
    const [stored] = await query(url, 'SELECT rolpassword AS password FROM pg_authid WHERE rolname = current_user');
    expect(stored).toMatchObject({ password: expect.stringMatching(/^SCRAM-SHA-256\$4096:/) });
    const file = statSync(join(dataDir, 'cluster/passwright.password'));
    expect(file.mode & 0o777).toBe(0o600);
    expect(statSync(join(dataDir, 'cluster')).mode & 0o777).toBe(0o700);
  });

  it('the server logs into the data folder, and the log contains no statements or values', async () => {
    await query(url, `SELECT 'a secret'::int`).catch(() => undefined);
    const log = readFileSync(join(dataDir, 'server.log'), 'utf8');
    expect(log).toContain('ready to accept connections');
    expect(log).not.toContain('SELECT');
  });

  it('a first start leaves no temporary folder behind', () => {
    expect(readdirSync(dataDir).filter((name) => /^(initdb-|claim)/.test(name))).toEqual([]);
  });
});

describe('several processes on one data folder', () => {
  it('several processes that start simultaneously share one server, which the last one stops', async () => {
    const dataDir = newDataDir();
    const here = startEmbeddedPostgres({ dataDir, ...test });
    const again = startEmbeddedPostgres({ dataDir, ...test });
    const users = await Promise.all([launchProcess({ dataDir }), here, launchProcess({ dataDir }), again]);
    expect(new Set(users.map(({ url }) => url)).size).toBe(1);
    expect(users.filter(({ owned }) => owned)).toHaveLength(1);
    const [url] = users.map((user) => user.url);
    for (const user of users) {
      expect(await isUp(url ?? '')).toBe(true);
      await user.stop();
    }
    expect(await isUp(url ?? '')).toBe(false);
    await users[1].stop();
  });

  it('the server keeps running after a process that used it was killed, and no longer counts that process', async () => {
    const dataDir = newDataDir();
    const killed = await launchProcess({ dataDir });
    await query(killed.url, 'CREATE TABLE kept AS SELECT 7 AS n');
    await killed.kill();
    const next = await startEmbeddedPostgres({ dataDir, ...test });
    expect(next).toMatchObject({ owned: false, url: killed.url });
    expect(await query(next.url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
    await next.stop();
    expect(await isUp(next.url)).toBe(false);
  });

  it('a process still counts as a user of the server after the server has ended its session', async () => {
    const dataDir = newDataDir();
    const [one, other] = [
      await startEmbeddedPostgres({ dataDir, ...test }),
      await startEmbeddedPostgres({ dataDir, ...test }),
    ];
    const counted = `SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory'`;
    await query(one.url, `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'`);
    while ((await query(one.url, counted))[0]?.n !== 2);
    await one.stop();
    expect(await isUp(other.url)).toBe(true);
    await other.stop();
  });

  it('the last process that stops ends the server, even while it opens its session again', async () => {
    const dataDir = newDataDir();
    const { url, stop } = await startEmbeddedPostgres({ dataDir, ...test });
    // Sessions count themselves by locks in this database.
    const other = new Client({ connectionString: url.replace(/[^/]*$/, 'postgres') });
    await other.connect();
    await other.query(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'`);
    // The next session waits for this lock.
    await other.query('SELECT pg_advisory_lock(1885827191)');
    const waiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`;
    while ((await other.query(waiting)).rows.length === 0) await pause(10);
    const stopped = stop();
    while (!isStarting(dataDir)) await pause(10);
    await other.end();
    await stopped;
    expect(await isUp(url)).toBe(false);
  });

  it('a durable process does not join a server that tests have started without durability', async () => {
    const dataDir = newDataDir();
    const server = await startEmbeddedPostgres({ dataDir, ...test });
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow(/started for tests/);
    await server.stop();
  });
});

describe('a start after a crash', () => {
  it('a start recovers all commits after the server and its user were killed', async () => {
    const dataDir = newDataDir();
    const user = await launchProcess({ dataDir, durable: true });
    await query(user.url, 'CREATE TABLE kept AS SELECT 7 AS n');
    const busy = query(user.url, 'SELECT pg_sleep(0.5)').catch(() => undefined);
    process.kill(postmasterPid(dataDir), 'SIGKILL');
    await user.kill();
    const next = await startEmbeddedPostgres({ dataDir, ...test });
    expect(next.owned).toBe(true);
    expect(await query(next.url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
    await Promise.all([busy, next.stop()]);
  });

  it('a killed server is restarted at the same address by the processes that use it', async () => {
    const dataDir = newDataDir();
    const users = await Promise.all([startEmbeddedPostgres({ dataDir }), startEmbeddedPostgres({ dataDir })]);
    const [{ url, stop }, other] = users;
    await query(url, 'CREATE TABLE kept (x int)');
    for (let round = 0; round < 2; round++) {
      await query(url, 'INSERT INTO kept VALUES (1)');
      const before = await startedAt(url);
      process.kill(postmasterPid(dataDir), 'SIGKILL');
      // Wait for a new start time as well, because the server may be back before this loop notices its end.
      while ([before, null].includes(await startedAt(url))) await pause(10);
    }
    expect(await query(url, 'SELECT count(*)::int AS rows FROM kept')).toEqual([{ rows: 2 }]);
    await Promise.all([stop(), other.stop()]);
    while (await isUp(url)) await pause(10);
  });

  it('a killed server is restarted as soon as it can start, even if the first attempts fail', async () => {
    const dataDir = newDataDir();
    const { url, stop } = await startEmbeddedPostgres({ dataDir });
    const settings = join(dataDir, 'cluster/postgresql.auto.conf');
    writeFileSync(settings, 'no_such_setting = on\n');
    process.kill(postmasterPid(dataDir), 'SIGKILL');
    const log = () => readFileSync(join(dataDir, 'server.log'), 'utf8');
    while (log().split('configuration file').length < 3) await pause(10);
    writeFileSync(settings, '');
    while (!(await isUp(url))) await pause(10);
    await stop();
  });

  it("a start succeeds even if other processes have the killed server's pid and port", async () => {
    const dataDir = newDataDir();
    const first = await startEmbeddedPostgres({ dataDir, ...test });
    const file = join(dataDir, 'cluster/postmaster.pid');
    const lines = readFileSync(file, 'utf8').split('\n');
    await first.stop();
    const stranger = createServer((socket) => socket.end('hello')).listen(first.port, '127.0.0.1');
    writeFileSync(file, [process.pid, ...lines.slice(1)].join('\n'));
    const next = await startEmbeddedPostgres({ dataDir, ...test });
    expect(next.owned).toBe(true);
    expect(next.port).not.toBe(first.port);
    await next.stop();
    stranger.close();
  });

  it('a start takes over the lock of a killed process and removes its partial cluster', async () => {
    const dataDir = newDataDir();
    mkdirSync(join(dataDir, 'initdb-half/cluster'), { recursive: true });
    writeFileSync(join(dataDir, 'lock.41'), JSON.stringify({ pid: process.pid, started: '1' }));
    const server = await startEmbeddedPostgres({ dataDir, ...test });
    expect(readdirSync(dataDir).filter((name) => /^(initdb-|lock)/.test(name))).toEqual(['lock.42']);
    await server.stop();
  });
});

describe('an unusable data folder', () => {
  it('a start with a cluster of another major version fails, and the error says how to fix it', async () => {
    const dataDir = newDataDir();
    await (await startEmbeddedPostgres({ dataDir, ...test })).stop();
    writeFileSync(join(dataDir, 'cluster/PG_VERSION'), '16\n');
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow(/made by Postgres 16; .* DATABASE_URL/);
  });

  it('a start with the data folder of another Postgres fails, and the error says how to fix it', async () => {
    const dataDir = newDataDir();
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'PG_VERSION'), '16\n');
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow(/another Postgres.* DATABASE_URL/);
  });

  it("a failed start shows the end of the server's log", async () => {
    const dataDir = newDataDir();
    await (await startEmbeddedPostgres({ dataDir, ...test })).stop();
    writeFileSync(join(dataDir, 'cluster/postgresql.auto.conf'), 'no_such_setting = 1\n');
    const failure = startEmbeddedPostgres({ dataDir });
    await expect(failure).rejects.toThrow(EmbeddedPostgresFailed);
    await expect(failure).rejects.toThrow(/no_such_setting[\s\S]*DATABASE_URL/);
  });
});

asRoot('as root', () => {
  it('the server runs as an ordinary user, or in a user namespace if a parent folder has mode 700', async () => {
    for (const mode of [0o755, 0o700]) {
      const dataDir = newDataDir(mode);
      for (const round of [1, 2]) {
        const server = await startEmbeddedPostgres({ dataDir, ...test });
        expect({ round, owned: server.owned }).toEqual({ round, owned: true });
        await server.stop();
      }
      const { uid } = statSync(join(dataDir, 'cluster'));
      // Binaries that other users cannot read require a user namespace too.
      expect(uid === 0).toBe(mode === 0o700 || !sourcesAreOpen);
    }
  });
});

asOthers('as an ordinary user (run by root, from sources that others can read)', () => {
  /** Creates a data directory that the user owns. */
  function dataDirOf(uid: number): string {
    const dataDir = newDataDir(0o700);
    chownSync(join(dataDir, '..'), uid, uid);
    return dataDir;
  }

  it('the server starts in a private folder, and starts there again after a stop', async () => {
    const dataDir = dataDirOf(NOBODY);
    for (const round of [1, 2]) {
      const user = await launchProcess({ dataDir, uid: NOBODY });
      expect({ round, owned: user.owned, error: user.error }).toEqual({ round, owned: true, error: undefined });
      await user.stop();
    }
  });

  it('the server runs for a user that the system does not know, or the start fails with a remedy', async () => {
    const user = await launchProcess({ dataDir: dataDirOf(54321), uid: 54321 });
    expect(user.error ?? 'runs').toMatch(/^runs$|no entry in \/etc\/passwd.*DATABASE_URL/);
    if (!user.error) await user.stop();
  });

  it('a start on a data folder that root created fails, and the error names the remedy', async () => {
    const dataDir = newDataDir();
    await (await startEmbeddedPostgres({ dataDir, ...test })).stop();
    const user = await launchProcess({ dataDir, uid: NOBODY });
    expect(user.error).toMatch(/EmbeddedPostgresFailed: .*DATABASE_URL/);
    for (const name of ['.', ...readdirSync(dataDir)]) if (name !== 'cluster') chmodSync(join(dataDir, name), 0o777);
    expect((await launchProcess({ dataDir, uid: NOBODY })).error).toMatch(/belongs to user id \d+.*DATABASE_URL/);
  });
});
