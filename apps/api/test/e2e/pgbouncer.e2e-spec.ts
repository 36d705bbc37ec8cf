import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, serviceClient } from '@passwright/database';
import {
  DebianPostgres,
  debianPrograms,
  hasPgBouncer,
  jobsIdle,
  keepsPreparedStatements,
  PgBouncer,
  preparedStatements,
  repeatWhileBusy,
} from '@passwright/testing';
import { DataSource } from 'typeorm';
import { loadConfig } from '../../src/config/config.js';
import { examine } from '../../src/doctor/doctor-program.js';
import { startService } from '../../src/start-service.js';
import { AppleWalletWorld, mustBe, points, setPoints, showsPoints, until } from '../support/apple-wallet-world.js';
import { operatorRun } from '../support/operator-run.js';
import { masterKeys } from '../support/running-service.js';

const isInstalled = debianPrograms() !== null && hasPgBouncer();
if (!isInstalled)
  process.stderr.write('pgbouncer.e2e-spec.ts is skipped: install the Debian packages postgresql and pgbouncer.\n');
const describePoolers = isInstalled ? describe : describe.skip;

jest.setTimeout(120_000);

const session = { pool_mode: 'session', default_pool_size: 80 };
/**
 * A pooler with only a few connections, so that a setting that one transaction leaves behind affects the next client.
 */
const transaction = { pool_mode: 'transaction', default_pool_size: 4, server_round_robin: 1 };

/** A client without settings of its own, so that the pooler's connections have none. */
const PlainClient = serviceClient(5000, { pooled: true });

const hooks: { type: string; data: Record<string, unknown> }[] = [];
const receiver = createServer((request, response) => void receive(request, response));
let server: DebianPostgres;
let pooler: PgBouncer;
let dir: string;

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  hooks.push(JSON.parse(Buffer.concat(chunks).toString()));
  response.writeHead(204).end();
}

async function sql(statement: string): Promise<Record<string, unknown>[]> {
  const source = await new DataSource({ type: 'postgres', url: server.url }).initialize();
  return source.query<Record<string, unknown>[]>(statement).finally(() => source.destroy());
}

/** Gives the role time limits, which the service cannot set in transaction mode. */
async function limitRole(statementTimeout: string): Promise<void> {
  const settings = { jit: 'off', statement_timeout: statementTimeout, idle_in_transaction_session_timeout: '60s' };
  for (const [name, value] of Object.entries(settings))
    await sql(`ALTER ROLE passwright IN DATABASE postgres SET ${name} = '${value}'`);
}

const limitsSql = `SELECT current_setting('jit') AS jit, current_setting('statement_timeout') AS statement,
  current_setting('idle_in_transaction_session_timeout') AS idle, pg_sleep(0.02)`;

beforeAll(async () => {
  if (!isInstalled) return;
  dir = mkdtempSync(join(tmpdir(), 'passwright pooler '));
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
});
afterAll(() => {
  if (!isInstalled) return;
  receiver.close();
  rmSync(dir, { recursive: true });
});

/** The environment of a node, without DATABASE_URL. */
const inTransactionMode = (prepared: 'on' | 'off') => () => ({
  DATABASE_DIRECT_URL: server.url,
  DATABASE_PREPARED_STATEMENTS: prepared,
});
const ofRole = { jit: 'off', statement: '7s', idle: '1min' };

describePoolers.each([
  {
    name: 'session mode',
    settings: session,
    environment: () => ({}),
    limits: { ...ofRole, statement: '9s' },
  },
  {
    name: 'transaction mode',
    settings: { ...transaction, ...preparedStatements(0) },
    environment: inTransactionMode('off'),
    limits: ofRole,
  },
  ...(isInstalled && keepsPreparedStatements()
    ? [
        {
          name: 'transaction mode, which keeps prepared statements',
          settings: { ...transaction, ...preparedStatements(100) },
          environment: inTransactionMode('on'),
          limits: ofRole,
        },
      ]
    : []),
])('through PgBouncer in $name', ({ settings, environment, limits }) => {
  let world: AppleWalletWorld;

  beforeAll(async () => {
    server = await DebianPostgres.startCopy('migrated');
    await limitRole('7s');
    pooler = await PgBouncer.start(server, settings);
    const { port } = receiver.address() as AddressInfo;
    world = await AppleWalletWorld.withoutNodes({
      DATABASE_URL: pooler.url,
      DATABASE_STATEMENT_SECONDS: '9',
      RATE_LIMIT_PER_MINUTE: '1000',
      WEBHOOK_HOSTS_ALLOWED: `127.0.0.1:${port}`,
      ...environment(),
    });
    await world.addNode();
    await world.addNode();
  });
  afterAll(async () => {
    await world.stop();
    await pooler.stop();
    server.remove();
  });

  it('a pass is issued, downloaded, registered, changed, pushed and listed, and a webhook is sent for each change', async () => {
    const account = await world.newAccount();
    const { port } = receiver.address() as AddressInfo;
    mustBe(201, await account.post('/v1/webhooks', { url: `http://127.0.0.1:${port}/hook` }));
    const held = await world.hold(account, 'offer');
    for (const value of ['1', '2', '3']) {
      await setPoints(held, value);
      await showsPoints(held, value);
    }
    await until(
      () => hooks.filter(({ data }) => data.passId === held.id).map(({ type }) => type),
      (types) => types.length === 5,
    );
    expect(new Set(hooks.map(({ type }) => type))).toEqual(new Set(['pass.created', 'pass.installed', 'pass.changed']));
    expect(world.statusesOf(held)).toEqual([200, 200, 200]);
    await jobsIdle(server.url);
    expect(await sql('SELECT FROM graphile_worker._private_jobs WHERE last_error IS NOT NULL')).toEqual([]);
  });

  it('simultaneous writes on two nodes each take effect exactly once, and both nodes stay ready', async () => {
    const account = await world.newAccount();
    const issued = await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        repeatWhileBusy(() =>
          (world.nodes[at % 2] ?? world.service).request('POST', `/v1/pass/offer/p${at % 30}`, {
            token: account.token,
            headers: { 'Idempotency-Key': `key-of-pass-${at % 30}` },
            body: points(String(at % 30)),
          }),
        ),
      ),
    );
    expect(new Set(issued.map(({ status }) => status))).toEqual(new Set([200]));
    expect(mustBe(200, await account.get('/v1/pass/offer?limit=100')).body.data).toHaveLength(30);
    for (const node of world.nodes) mustBe(200, await node.request('GET', '/health/ready'));
  });

  it('each request reduces the remaining rate limit by one', async () => {
    const { token } = await world.service.register();
    const read = async () => {
      const { headers } = mustBe(200, await world.service.request('GET', '/v1/templates', { token }));
      return Number(headers.get('ratelimit-remaining'));
    };
    const first = await read();
    expect([await read(), await read()]).toEqual([first - 1, first - 2]);
  });

  it('every connection for requests has the time limits and does not use JIT', async () => {
    const seen = await Promise.all(Array.from({ length: 8 }, () => world.sql<Record<string, unknown>>(limitsSql)));
    for (const [row] of seen) expect(row).toMatchObject(limits);
  });

  it('the doctor reports the mode of the pooler, and no problems', async () => {
    const findings = await examine({ ...world.environment, DATA_DIR: world.service.dataDir });
    const found = findings
      .filter(({ check }) => check === 'pooler')
      .map(({ verdict, found: text }) => `${verdict}: ${text}`);
    expect(found).toEqual([
      `ok: DATABASE_URL leads to a pooler in ${settings.pool_mode} mode.`,
      ...(settings.pool_mode === 'transaction' ? ['ok: DATABASE_DIRECT_URL leads straight to Postgres.'] : []),
    ]);
  });
});

describePoolers('a start through PgBouncer', () => {
  const poolers: PgBouncer[] = [];
  let direct: string;
  let pooled: string;
  let inSession: string;
  beforeAll(async () => {
    server = await DebianPostgres.startCopy('empty');
    for (const settings of [{ ...transaction, ...preparedStatements(0) }, session])
      poolers.push(await PgBouncer.start(server, settings));
    [pooled = '', inSession = ''] = poolers.map(({ url }) => url);
    direct = server.url;
  });
  afterAll(async () => {
    for (const each of poolers) await each.stop();
    server.remove();
  });

  const start = async (DATABASE_URL: string, environment: Record<string, string> = {}): Promise<void> => {
    const defaults = { DATA_DIR: dir, PORT: '0', LOG_LEVEL: 'silent', MASTER_KEYS: masterKeys, DATABASE_URL };
    const service = await startService(loadConfig({ ...defaults, ...environment }));
    await service.stop('the test is over');
  };
  const off = { DATABASE_PREPARED_STATEMENTS: 'off' };

  it('the service exits in transaction mode without a direct address, and names the variable to set', async () => {
    await expect(start(pooled, off)).rejects.toThrow(
      /^DATABASE_URL leads to a pooler in transaction mode.* Set DATABASE_DIRECT_URL to/,
    );
  });

  it('the service exits if the direct address leads to a pooler in transaction mode', async () => {
    await expect(start(direct, { DATABASE_DIRECT_URL: pooled })).rejects.toThrow(
      /^DATABASE_DIRECT_URL leads to a pooler in transaction mode/,
    );
  });

  it('the service exits if the addresses lead to different databases', async () => {
    await sql('CREATE DATABASE other');
    const DATABASE_DIRECT_URL = Object.assign(new URL(direct), { pathname: '/other' }).href;
    await expect(start(pooled, { DATABASE_DIRECT_URL, ...off })).rejects.toThrow(/lead to different databases/);
  });

  it('the service exits if the pooler loses prepared statements, and names the variable to set', async () => {
    await expect(start(pooled, { DATABASE_DIRECT_URL: direct })).rejects.toThrow(/DATABASE_PREPARED_STATEMENTS=off/);
  });

  it('the service exits if the pooler rejects a parameter of the address, and says what to do', async () => {
    await expect(start(`${inSession}?options=-c%20jit%3Doff`)).rejects.toThrow(
      /unsupported startup parameter.*\. A pooler rejects that parameter: take it out of DATABASE_URL/,
    );
  });

  it.each([
    {
      broken: 'DATABASE_URL',
      change: { DATABASE_URL: 'postgres://passwright@127.0.0.1:1/postgres' },
      findings: [
        /^ok: DATABASE_DIRECT_URL leads straight/,
        /^problem: The database postgres at 127.0.0.1:1 cannot be reached/,
      ],
    },
    {
      broken: 'DATABASE_DIRECT_URL',
      change: { DATABASE_DIRECT_URL: 'postgres://passwright@127.0.0.1:1/postgres' },
      findings: [/^ok: DATABASE_URL leads to a pooler in transaction mode/],
    },
  ])('the doctor checks the other address even if $broken does not respond', async ({ broken, change, findings }) => {
    const environment = { DATA_DIR: dir, MASTER_KEYS: masterKeys, DATABASE_URL: pooled, DATABASE_DIRECT_URL: direct };
    const all = await examine({ ...environment, ...change });
    const found = all
      .filter(({ check }) => check === 'pooler')
      .map(({ verdict, found: text }) => `${verdict}: ${text}`);
    expect(found.sort()).toEqual(findings.map((text) => expect.stringMatching(text) as string));
    const fixes = all.filter(({ found: text }) => text.includes('cannot be reached')).map(({ fix }) => fix);
    expect(fixes).toEqual([expect.stringContaining(`Check host and port of ${broken},`)]);
  });

  it("a restore is rejected until the pooler's command KILL has closed the service's connections", async () => {
    const single = await PgBouncer.start(server, { ...transaction, default_pool_size: 1 });
    poolers.push(single);
    const folder = mkdtempSync(join(dir, 'backup '));
    for (const file of ['database.dump', 'keys.dump']) writeFileSync(join(folder, file), 'not a dump');
    const node = new PlainClient({ connectionString: single.url, application_name: 'passwright' });
    await node.connect();
    await node.query('SELECT 1');
    const environment = {
      PATH: process.env.PATH,
      DATA_DIR: dir,
      DATABASE_URL: single.url,
      DATABASE_DIRECT_URL: direct,
    };
    const restore = async () => (await operatorRun(['restore', folder], environment)).err;
    expect(await restore()).toMatch(
      /Stop all nodes first: this check does not see .* KILL .* RESUME after the restore/,
    );
    const admin = new PlainClient(Object.assign(new URL(single.url), { pathname: '/pgbouncer' }).href);
    await admin.connect();
    await admin.query('KILL postgres');
    await expect(node.query('SELECT 1')).rejects.toThrow();
    expect(await restore()).toMatch(/^pg_restore failed/);
    await admin.query('RESUME postgres');
    await admin.end();
  });

  it('the doctor does not change settings of connections, so the next start still reports missing limits', async () => {
    const single = await PgBouncer.start(server, { ...transaction, ...preparedStatements(0), default_pool_size: 1 });
    poolers.push(single);
    const findings = await examine({ DATA_DIR: dir, MASTER_KEYS: masterKeys, DATABASE_URL: single.url });
    expect(findings.find(({ check }) => check === 'database')).toMatchObject({ verdict: 'ok' });
    const source = await new DataSource({ type: 'postgres', url: single.url }).initialize();
    const rows: unknown = await source.query('SHOW statement_timeout').finally(() => source.destroy());
    expect(rows).toEqual([{ statement_timeout: '0' }]);
    await expect(start(single.url, { DATABASE_DIRECT_URL: direct, ...off })).rejects.toThrow(
      /lack their limits: .*statement_timeout is 0 ms/,
    );
  });

  it('the service exits if the role lacks limits, and starts after the printed statements were run', async () => {
    const failure = await start(pooled, { DATABASE_DIRECT_URL: direct, ...off }).catch((error: Error) => error.message);
    const statements = String(failure).match(/ALTER ROLE .*;/g) ?? [];
    expect(statements).toHaveLength(3);
    for (const statement of statements) await sql(statement);
    const fresh = await PgBouncer.start(server, { ...transaction, ...preparedStatements(0) });
    poolers.push(fresh);
    await expect(start(fresh.url, { DATABASE_DIRECT_URL: direct, ...off })).resolves.toBeUndefined();
  });

  it('the service exits if the role has settings that it cannot work with, until the printed statement was run', async () => {
    await sql(`ALTER ROLE passwright SET datestyle = 'German'`);
    const begin = async () => {
      const fresh = await PgBouncer.start(server, { ...transaction, ...preparedStatements(0) });
      poolers.push(fresh);
      return start(fresh.url, { DATABASE_DIRECT_URL: direct, ...off });
    };
    const failure = await begin().catch((error: Error) => error.message);
    expect(failure).toContain('DateStyle is German');
    const [statement = ''] = /ALTER ROLE .* DateStyle .*;/.exec(String(failure)) ?? [];
    await sql(statement);
    await expect(begin()).resolves.toBeUndefined();
    await sql('ALTER ROLE passwright RESET datestyle');
  });

  it('the service exits if a role has no access to the tables, and names the two database addresses', async () => {
    await migrate(direct);
    await sql('CREATE ROLE guest LOGIN');
    for (const setting of [`jit = off`, `statement_timeout = '5s'`, `idle_in_transaction_session_timeout = '60s'`])
      await sql(`ALTER ROLE guest IN DATABASE postgres SET ${setting}`);
    const url = Object.assign(new URL(direct), { username: 'guest' }).href;
    await expect(start(url, { DATABASE_DIRECT_URL: direct })).rejects.toThrow(
      /permission denied.* Check DATABASE_URL and DATABASE_DIRECT_URL,/,
    );
  });

  it('the service starts in session mode without further settings', async () => {
    await expect(start(inSession)).resolves.toBeUndefined();
  });
});
