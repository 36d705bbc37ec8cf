import {
  DebianPostgres,
  debianPrograms,
  hasPgBouncer,
  keepsPreparedStatements,
  PgBouncer,
  preparedStatements,
  testDatabase,
} from '@passwright/testing';
import { Client } from 'pg';
import { inspectConnection } from './inspect-connection.js';

const isInstalled = debianPrograms() !== null && hasPgBouncer();
if (!isInstalled) process.stderr.write('Poolers are skipped: install the Debian packages postgresql and pgbouncer.\n');
const describePoolers = isInstalled ? describe : describe.skip;

it('inspectConnection recognises a direct connection, and reports the settings of its role', async () => {
  const { url } = await testDatabase();
  const report = await inspectConnection(url);
  expect(report).toMatchObject({
    mode: 'direct',
    keepsPreparedStatements: true,
    statementMs: 0,
    idleInTransactionMs: 0,
  });
  expect(report.server).toMatch(/^\d+\.\d+$/);
});

describePoolers('a PgBouncer', () => {
  let server: DebianPostgres;
  let pooler: PgBouncer | null = null;
  beforeAll(async () => {
    server = await DebianPostgres.startCopy('empty');
  });
  afterEach(async () => {
    await pooler?.stop();
    pooler = null;
  });
  afterAll(() => server.remove());

  it('inspectConnection recognises session mode', async () => {
    pooler = await PgBouncer.start(server, { pool_mode: 'session' });
    expect(await inspectConnection(pooler.url)).toMatchObject({ mode: 'session', keepsPreparedStatements: true });
  });

  it('inspectConnection reports settings of the role with which the service would misread values', async () => {
    expect((await inspectConnection(server.url)).wrongSettings).toEqual([]);
    const client = new Client(server.url);
    await client.connect();
    const set = (value: string) => client.query(`ALTER ROLE CURRENT_USER ${value}`);
    await set(`SET datestyle = 'German'`);
    await set('SET extra_float_digits = 0');
    const { wrongSettings } = await inspectConnection(server.url);
    await set('RESET ALL');
    await client.end();
    expect(wrongSettings).toEqual([
      { name: 'DateStyle', value: 'German, DMY', needed: `'ISO'` },
      { name: 'extra_float_digits', value: '0', needed: '1' },
    ]);
  });

  it.each([
    ['of a pooler that lends its last used connection', { default_pool_size: 20 }],
    ['of a pooler that lends its connections in turn', { server_round_robin: 1 }],
    [
      'of a pooler that lends two connections in turn',
      { server_round_robin: 1, default_pool_size: 2, min_pool_size: 2 },
    ],
    ['of a pooler with a single connection', { default_pool_size: 1 }],
  ])('inspectConnection recognises transaction mode %s', async (_, settings) => {
    pooler = await PgBouncer.start(server, { pool_mode: 'transaction', ...settings });
    // Two simultaneous connections leave several idle connections at the pooler, if its limits allow several.
    const clients = [1, 2].map(() => new Client(pooler?.url));
    await Promise.all(clients.map((client) => client.connect().then(() => client.query('SELECT pg_sleep(0.1)'))));
    const report = await inspectConnection(pooler.url);
    expect(report.mode).toBe('transaction');
    expect(report.server).toBe((await inspectConnection(server.url)).server);
    await Promise.all(clients.map((client) => client.end()));
  });

  it('inspectConnection reports a pooler that loses prepared statements, and leaves the session’s settings unchanged', async () => {
    const settings = { pool_mode: 'transaction', default_pool_size: 1, ...preparedStatements(0) };
    pooler = await PgBouncer.start(server, settings);
    expect(await inspectConnection(pooler.url)).toMatchObject({ keepsPreparedStatements: false });
    const client = new Client(pooler.url);
    await client.connect();
    const { rows } = await client.query('SHOW statement_timeout');
    expect(rows).toEqual([{ statement_timeout: '0' }]);
    await client.end();
  });

  it('inspectConnection reports the settings of the role, even if another client has changed settings in that session', async () => {
    const settings = { pool_mode: 'transaction', default_pool_size: 1, ...preparedStatements(0) };
    pooler = await PgBouncer.start(server, settings);
    const before = await inspectConnection(pooler.url);
    const client = new Client(pooler.url);
    await client.connect();
    await client.query('SET statement_timeout = 5000; SET idle_in_transaction_session_timeout = 5000; SET jit = off');
    expect(before).toMatchObject({ statementMs: 0, idleInTransactionMs: 0 });
    expect(await inspectConnection(pooler.url)).toEqual(before);
    const { rows } = await client.query('SHOW jit');
    expect(rows).toEqual([{ jit: 'off' }]);
    await client.end();
  });

  (isInstalled && keepsPreparedStatements() ? it : it.skip)(
    'inspectConnection reports that PgBouncer 1.21 keeps prepared statements',
    async () => {
      pooler = await PgBouncer.start(server, { pool_mode: 'transaction', ...preparedStatements(100) });
      expect(await inspectConnection(pooler.url)).toMatchObject({ mode: 'transaction', keepsPreparedStatements: true });
    },
  );
});
