import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { testDatabase } from '@passwright/testing';
import { types } from 'pg';
import { DataSource } from 'typeorm';
import { Database } from '../database.js';
import { serviceClient, type ServiceClientOptions } from './service-client.js';
import { DatabaseSilent } from './silence-watch.js';
import { isDatabaseUnavailable } from './temporary-errors.js';

/**
 * A proxy that forwards all data until the test makes it drop everything sent to the server. It never closes or rejects
 * a connection.
 */
class SwallowingProxy {
  readonly sockets = new Set<Socket>();
  swallows = false;
  /** The first packet of the first connection. */
  startup = '';
  private readonly server: Server;

  private constructor(private readonly target: URL) {
    this.server = createServer((client) => {
      const upstream = connect(Number(target.port), target.hostname);
      for (const socket of [client, upstream]) this.sockets.add(socket.on('error', () => undefined));
      client.once('data', (bytes) => (this.startup ||= bytes.toString()));
      client.on('data', (bytes) => this.swallows || upstream.write(bytes)).on('close', () => upstream.destroy());
      upstream.on('data', (bytes) => this.swallows || client.write(bytes)).on('close', () => client.destroy());
    });
  }

  static async start(url: string): Promise<SwallowingProxy> {
    const proxy = new SwallowingProxy(new URL(url));
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  get url(): string {
    const { port } = this.server.address() as { port: number };
    return Object.assign(new URL(this.target), { hostname: '127.0.0.1', port: String(port) }).href;
  }

  stop(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

let url: string;
let proxy: SwallowingProxy;
let dataSource: DataSource;

async function open(
  at: string,
  statementMs: number,
  poolSize = 3,
  options: ServiceClientOptions = {},
): Promise<DataSource> {
  dataSource = new DataSource({
    type: 'postgres',
    url: at,
    poolSize,
    connectTimeoutMS: 5000,
    extra: { Client: serviceClient(statementMs, options) },
  });
  return dataSource.initialize();
}

beforeAll(async () => {
  ({ url } = await testDatabase());
});
beforeEach(async () => {
  proxy = await SwallowingProxy.start(url);
});
afterEach(async () => {
  proxy.stop();
  await dataSource.destroy();
});

const failureOf = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error);
const setting = async (name: string) => (await dataSource.query<[Record<string, string>]>(`SHOW ${name}`))[0][name];

it('a connection turns JIT off and sets time limits, but only after it has connected', async () => {
  await open(proxy.url, 8000);
  expect(await setting('jit')).toBe('off');
  expect(await setting('statement_timeout')).toBe('8s');
  expect(await setting('idle_in_transaction_session_timeout')).toBe('1min');
  // The first packet must not name these settings, because PgBouncer would reject the connection.
  expect(proxy.startup).toContain('database');
  expect(proxy.startup).not.toMatch(/jit|timeout|options/);
});

it('a connection reads values correctly and sees new commits, whatever the settings of the role are', async () => {
  const settings = { datestyle: 'German', bytea_output: 'escape', extra_float_digits: -3 };
  const all = { ...settings, standard_conforming_strings: 'off', default_transaction_isolation: 'serializable' };
  const address = new URL(url);
  const options = Object.entries(all).map(([name, value]) => `-c ${name}=${value}`);
  address.searchParams.set('options', options.join(' '));
  await open(address.href, 8000, 1);
  const [row] = await dataSource.query<[object]>(
    `SELECT '2026-11-09 10:00:00+00'::timestamptz AS at, '\\x41'::bytea AS bytes, 0.1::float8 + 0.2::float8 AS sum`,
  );
  expect(row).toEqual({ at: new Date('2026-11-09T10:00:00Z'), bytes: Buffer.from('A'), sum: 0.1 + 0.2 });
  expect(await setting('default_transaction_isolation')).toBe('read committed');
});

it('a connection to a pooler in transaction mode sets no time limits, and still notices a silent server', async () => {
  await open(proxy.url, 500, 1, { pooled: true });
  expect([await setting('statement_timeout'), await setting('idle_in_transaction_session_timeout')]).toEqual([
    '0',
    '0',
  ]);
  proxy.swallows = true;
  expect(isDatabaseUnavailable(await failureOf(dataSource.query('SELECT 1')))).toBe(true);
});

it.each([
  [true, ['kept', 'seen']],
  [false, []],
])(
  'a connection with preparedStatements: %s leaves the prepared statements %j on the server',
  async (preparedStatements, kept) => {
    await open(url, 8000, 1, { preparedStatements });
    const database = new Database(dataSource);
    await database.lookUp('seen', 'SELECT $1::int AS n', [1]);
    expect(await database.transaction((tx) => database.prepared(tx, 'kept', 'SELECT 2 AS n', []))).toEqual([{ n: 2 }]);
    const rows = await dataSource.query<{ name: string }[]>('SELECT name FROM pg_prepared_statements ORDER BY name');
    expect(rows.map(({ name }) => name)).toEqual(kept);
  },
);

it("a connection reads values with pg's own parsers, even if the app has replaced them", async () => {
  const { TIMESTAMPTZ, INT8, JSONB } = types.builtins;
  const before = [TIMESTAMPTZ, INT8, JSONB].map((oid) => [oid, types.getTypeParser(oid)] as const);
  const select = `SELECT '2026-11-27 10:00:00.25+05:30'::timestamptz AS at, 9007199254740993 AS n, '{"a":1}'::jsonb AS object`;
  await open(url, 8000, 1);
  const expected = await dataSource.query<object[]>(select);
  try {
    for (const [oid] of before) types.setTypeParser(oid, (text: string) => (oid === INT8 ? Number(text) : text));
    expect(await dataSource.query(select)).toEqual(expected);
    expect(await dataSource.transaction((tx) => tx.query(select))).toEqual(expected);
    expect(expected).toEqual([{ at: new Date('2026-11-27T04:30:00.250Z'), n: '9007199254740993', object: { a: 1 } }]);
  } finally {
    for (const [oid, parse] of before) types.setTypeParser(oid, parse);
  }
});

it('Postgres ends a statement at the time limit, and the connection stays usable', async () => {
  await open(url, 500, 1);
  const failure = await failureOf(dataSource.query('SELECT pg_sleep(30)'));
  expect(failure).toMatchObject({ code: '57014' });
  expect(isDatabaseUnavailable(failure)).toBe(true);
  expect(await dataSource.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

describe('a proxy that swallows every packet', () => {
  it('a query fails if the proxy drops all packets, and the pool closes its idle connections', async () => {
    await open(proxy.url, 500);
    const runners = [1, 2, 3].map(() => dataSource.createQueryRunner());
    await Promise.all(runners.map((runner) => runner.connect()));
    await Promise.all(runners.map((runner) => runner.release()));
    expect(new Database(dataSource).poolUse).toMatchObject({ idle: 3 });
    proxy.swallows = true;
    const failure = await failureOf(dataSource.query('SELECT 1'));
    expect(failure).toMatchObject({ driverError: expect.any(DatabaseSilent) as unknown });
    expect(isDatabaseUnavailable(failure)).toBe(true);
    expect(new Database(dataSource).poolUse).toEqual({ used: 0, idle: 0, waiting: 0 });
    proxy.swallows = false;
    expect(await dataSource.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('a transaction fails if the proxy begins to drop all packets, and the pool discards its connection', async () => {
    await open(proxy.url, 500);
    const work = dataSource.transaction(async (tx) => {
      await tx.query('SELECT 1');
      proxy.swallows = true;
      await tx.query('SELECT 1');
    });
    expect(isDatabaseUnavailable(await failureOf(work))).toBe(true);
    expect(new Database(dataSource).poolUse).toMatchObject({ used: 0, idle: 0 });
  });
});

it('a connection sends simultaneous statements one after the other, and continues after a failed statement', async () => {
  await open(url, 5000, 1);
  const warned = jest.spyOn(process, 'emitWarning').mockReturnValue();
  await dataSource.transaction(async (tx) => {
    const numbers = await Promise.all([1, 2, 3, 4].map((n) => tx.query<{ n: number }[]>(`SELECT ${n} AS n`)));
    expect(numbers.flat()).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }]);
  });
  const runner = dataSource.createQueryRunner();
  const client = (await runner.connect()) as { _queryQueue: unknown[] };
  const asked = ['SELECT 1', 'SELECT none', 'SELECT 2', 'SELECT 3'].map((sql) => runner.query(sql));
  expect(client._queryQueue).toEqual([]);
  const outcomes = await Promise.allSettled(asked);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  await runner.release();
  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
});
