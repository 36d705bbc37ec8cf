import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspectConnection, migrate } from '@passwright/database';
import { DebianPostgres, debianPrograms, hasPgBouncer, PgBouncer, preparedStatements } from '@passwright/testing';
import { Client } from 'pg';
import { loadConfig } from '../../src/config/config.js';
import { examine } from '../../src/doctor/doctor-program.js';
import { poolerProblems } from '../../src/pooler-problems.js';
import { startService } from '../../src/start-service.js';
import { AppleWalletWorld, mustBe, setPoints, showsPoints } from '../support/apple-wallet-world.js';
import { createHostTables, occupyNames, stateOfHost } from '../support/host-tables.js';
import { masterKeys } from '../support/running-service.js';

const isInstalled = debianPrograms() !== null && hasPgBouncer();
if (!isInstalled)
  process.stderr.write('own-schema-pooled.e2e-spec.ts is skipped: install the packages postgresql and pgbouncer.\n');

jest.setTimeout(120_000);

(isInstalled ? describe : describe.skip)('a schema behind PgBouncer in transaction mode', () => {
  let server: DebianPostgres;
  let client: Client;
  let dir: string;
  const poolers: PgBouncer[] = [];

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'passwright schema '));
    server = await DebianPostgres.startCopy('empty');
    client = new Client(server.url);
    await client.connect();
    await createHostTables(client);
    await migrate(server.url, { schema: 'tickets' });
    await occupyNames(client, 'tickets');
    const limits = { jit: 'off', statement_timeout: '7s', idle_in_transaction_session_timeout: '60s' };
    for (const [name, value] of Object.entries(limits))
      await client.query(`ALTER ROLE passwright IN DATABASE postgres SET ${name} = '${value}'`);
  });
  afterAll(async () => {
    for (const pooler of poolers) await pooler.stop();
    await client.end();
    server.remove();
    rmSync(dir, { recursive: true });
  });

  /** Starts a pooler whose connections get the role's current settings. */
  async function environment(): Promise<Record<string, string>> {
    // The pooler has only a few connections, so a setting that one transaction leaves behind affects the next client.
    const settings = {
      pool_mode: 'transaction',
      default_pool_size: 4,
      server_round_robin: 1,
      ...preparedStatements(0),
    };
    const pooler = await PgBouncer.start(server, settings);
    poolers.push(pooler);
    return {
      DATABASE_URL: pooler.url,
      DATABASE_DIRECT_URL: server.url,
      DATABASE_PREPARED_STATEMENTS: 'off',
      DATABASE_SCHEMA: 'tickets',
    };
  }

  it('the service exits if the role does not see the schema, and prints the SQL to run', async () => {
    const given = { ...(await environment()), DATA_DIR: dir, PORT: '0', LOG_LEVEL: 'silent', MASTER_KEYS: masterKeys };
    const { message: failure } = await startService(loadConfig(given)).then(
      () => new Error('The service has started.'),
      (error: Error) => error,
    );
    expect(failure).toMatch(/look for tables in "\$user", public, but DATABASE_SCHEMA is tickets/);
    const problems = (await examine(given)).filter(({ check, verdict }) => check === 'pooler' && verdict === 'problem');
    const [statement = ''] = /ALTER ROLE .*;/.exec(failure) ?? [];
    expect(problems.map(({ fix }) => fix)).toEqual([expect.stringContaining(statement)]);
    await client.query(statement);
    const service = await startService(loadConfig({ ...given, ...(await environment()) }));
    await service.stop('the test is over');
  });

  it('the printed SQL works if a reserved word is the name of the schema', async () => {
    const report = await inspectConnection(server.url);
    const config = { preparedStatements: false, statementMs: 8000, schema: 'user' };
    const fixes = poolerProblems({ url: report, direct: report }, config).map(({ fix }) => fix);
    const [statement = ''] = /ALTER ROLE .* SET search_path .*;/.exec(fixes.join('\n')) ?? [];
    await client.query(statement);
    expect((await inspectConnection(server.url)).searchPath).toBe('"user"');
  });

  it('the service issues, changes, pushes and shows a pass, but does not change the tables of the host', async () => {
    await client.query('SET search_path = public');
    await client.query('ALTER ROLE passwright IN DATABASE postgres SET search_path = tickets');
    const before = await stateOfHost(client);
    const world = await AppleWalletWorld.start(await environment());
    try {
      const account = await world.newAccount();
      const held = await world.hold(account, 'offer');
      await setPoints(held, '5');
      await showsPoints(held, '5');
      mustBe(200, await world.service.request('GET', mustBe(200, await account.get(held.path)).body.webUrl));
      await world.jobsIdle();
      const failed = 'SELECT last_error FROM tickets_queue._private_jobs WHERE last_error IS NOT NULL';
      expect((await client.query(failed)).rows).toEqual([]);
    } finally {
      await world.stop();
    }
    expect(await stateOfHost(client)).toEqual(before);
  });
});
