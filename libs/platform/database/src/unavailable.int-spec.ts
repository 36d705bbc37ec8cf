import { type EventEmitter, once } from 'node:events';
import { request } from 'node:http';
import { testDatabase } from '@passwright/testing';
import { DataSource, QueryRunnerProviderAlreadyReleasedError } from 'typeorm';
import { Database } from './database.js';
import { serviceClient } from './connections/service-client.js';
import { dataSourceTo } from './connections/data-source-options.js';
import {
  DatabaseRejected,
  databaseError,
  isDatabaseUnavailable,
  noteDatabaseError,
} from './connections/temporary-errors.js';

/** The part of pg's pool that this spec uses. TypeORM calls the pool `master`. */
interface Pool {
  readonly options: { connectionTimeoutMillis: number };
}

let url: string;
const opened: DataSource[] = [];
beforeAll(async () => {
  ({ url } = await testDatabase());
});
afterAll(() => Promise.all(opened.filter((each) => each.isInitialized).map((each) => each.destroy())));

async function open(at = url): Promise<DataSource> {
  const dataSource = new DataSource({ type: 'postgres', url: at, poolSize: 1 });
  opened.push(dataSource);
  return dataSource.initialize();
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe('isDatabaseUnavailable', () => {
  it('isDatabaseUnavailable returns true when no server listens', async () => {
    const nowhere = Object.assign(new URL(url), { port: '1' }).href;
    const dataSource = new DataSource(dataSourceTo(nowhere, serviceClient(0)));
    expect(isDatabaseUnavailable(await failureOf(dataSource.initialize()))).toBe(true);
  });

  it.each(['EMFILE', 'ENFILE', 'ENOBUFS', 'EADDRNOTAVAIL'])(
    'isDatabaseUnavailable returns true if the process cannot open a connection: %s',
    (code) => {
      const failure = Object.assign(new Error(`connect ${code} 127.0.0.1:5432`), { code });
      expect(isDatabaseUnavailable(noteDatabaseError(failure))).toBe(true);
    },
  );

  it('isDatabaseUnavailable returns true while no connection becomes free in time', async () => {
    const dataSource = await open();
    // Set the limit only now, because opening the existing connection may have taken longer.
    (dataSource.driver as DataSource['driver'] & { master: Pool }).master.options.connectionTimeoutMillis = 20;
    const failure = await dataSource.transaction(async () => failureOf(dataSource.query('SELECT 1')));
    expect(isDatabaseUnavailable(failure)).toBe(true);
  });

  it('isDatabaseUnavailable returns true when the database closes the connection during a statement', async () => {
    const dataSource = await open();
    const failure = await failureOf(dataSource.query('SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(1)'));
    expect(isDatabaseUnavailable(failure)).toBe(true);
  });

  it.each([
    ['57014 when a statement takes too long', 'SET statement_timeout = 10; SELECT pg_sleep(1)'],
    ['25006 while the database is read-only', 'BEGIN READ ONLY; CREATE TABLE t ()'],
    ...['53100', '53200', '55P03', '58030', '40P01', '40001', '57P04'].map((code): [string, string] => [
      code,
      `DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '${code}'; END $$`,
    ]),
    ...[
      'server login has been failing, try again later',
      'database removed',
      'admin forced disconnect',
      'client_idle_timeout',
      'query_timeout',
      'query timeout',
      'idle transaction timeout',
      'server lifetime over',
      'server connection closed',
      'client connections exceeded (max_db_client_connections)',
      'prepared statement name is already in use',
      'prepared statement did not exist',
    ].map((message): [string, string] => [
      `when PgBouncer says "${message}"`,
      `DO $$ BEGIN RAISE EXCEPTION '${message}' USING ERRCODE = '08P01'; END $$`,
    ]),
    ...[
      'server closed the connection unexpectedly',
      'could not receive data from server: Connection reset by peer',
      'failure on connection marked as essential: 10.0.0.2:5432',
      'could not commit transaction for shard 102011 on at least one active node',
      'failed to prepare transaction "citus_0_100_7_0" on host 10.0.0.2:5432',
      'could not connect to any active placements',
    ].map((message): [string, string] => [
      `when a Citus coordinator says "${message}"`,
      `DO $$ BEGIN RAISE EXCEPTION '${message}' USING ERRCODE = 'XX000'; END $$`,
    ]),
  ])('isDatabaseUnavailable returns true after this failure: %s', async (_what, sql) => {
    expect(isDatabaseUnavailable(await failureOf((await open()).query(sql)))).toBe(true);
  });

  it.each([
    ['28000 while the role may not log in', 'NOLOGIN', {}],
    ['3D000 while the database has another name', 'LOGIN', { pathname: '/renamed' }],
    ['55000 while the database accepts no connections', 'LOGIN', { pathname: '/template0' }],
  ])('isDatabaseUnavailable returns true if connecting fails with %s', async (what, change, place) => {
    const admin = await open();
    const role = `refused_${process.pid}`;
    await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'known'`);
    try {
      await admin.query(`ALTER ROLE ${role} ${change}`);
      const Connection = serviceClient(0);
      const at = Object.assign(new URL(url), { username: role, password: 'known' }, place).href;
      const failure = await failureOf(new Connection(at).connect());
      expect(failure).toMatchObject({ cause: { code: what.slice(0, 5) } });
      expect(failure).toBeInstanceOf(DatabaseRejected);
      expect(isDatabaseUnavailable(failure)).toBe(true);
      expect(databaseError(failure)).toBe('refuses connections');
    } finally {
      await admin.query(`DROP ROLE ${role}`);
    }
  });

  it('isDatabaseUnavailable returns true for a statement in a transaction that has timed out', async () => {
    const work = (await open()).transaction(async (tx) => {
      await tx.query('SET LOCAL idle_in_transaction_session_timeout = 50');
      // Block the event loop, so that the process sends the statement before it reads the end of the connection.
      const until = performance.now() + 500;
      while (performance.now() < until);
      await tx.query('SELECT 1');
    });
    const failure = await failureOf(work);
    expect(failure).toMatchObject({ driverError: { code: '25P03' } });
    expect(isDatabaseUnavailable(failure)).toBe(true);
  });

  it('isDatabaseUnavailable returns true when a transaction begins on an abandoned connection', () => {
    expect(isDatabaseUnavailable(new QueryRunnerProviderAlreadyReleasedError())).toBe(true);
  });

  it('isDatabaseUnavailable returns true when the database closes the connection between two statements of a transaction', async () => {
    const [dataSource, other] = await Promise.all([open(), open()]);
    const work = dataSource.transaction(async (tx) => {
      const [{ pid }] = await tx.query<[{ pid: number }]>('SELECT pg_backend_pid() AS pid');
      const connection = (await tx.queryRunner?.connect()) as EventEmitter;
      await Promise.all([once(connection, 'end'), other.query('SELECT pg_terminate_backend($1)', [pid])]);
      await new Database(dataSource).prepared(tx, 'one', 'SELECT 1', []);
    });
    expect(isDatabaseUnavailable(await failureOf(work))).toBe(true);
  });
});

it.each([
  ['a statement that fails', 'SELECT 1/0'],
  ['a message that breaks the protocol', "DO $$ BEGIN RAISE EXCEPTION 'bind' USING ERRCODE = '08P01'; END $$"],
])('isDatabaseUnavailable returns false when the database responds with an error: %s', async (_what, sql) => {
  const failure = await failureOf((await open()).query(sql));
  expect(failure).toBeInstanceOf(Error);
  expect(isDatabaseUnavailable(failure)).toBe(false);
});

it('isDatabaseUnavailable returns false when another service is unavailable', async () => {
  const asked = request('http://127.0.0.1:1').end();
  const [refused] = (await once(asked, 'error')) as [Error];
  expect(refused).toMatchObject({ code: 'ECONNREFUSED' });
  for (const other of [refused, new AggregateError([refused]), new Error('fetch failed', { cause: refused })]) {
    expect(isDatabaseUnavailable(other)).toBe(false);
  }
});

it('isDatabaseUnavailable ignores errors that do not come from the database', () => {
  for (const other of [null, undefined, 'timeout exceeded when trying to connect', {}, new Error('Connection')]) {
    expect(isDatabaseUnavailable(other)).toBe(false);
  }
});

describe('lookUp', () => {
  /** Counts the statements that are sent from now on. */
  const sent = (dataSource: DataSource) =>
    jest.spyOn((dataSource.driver as DataSource['driver'] & { master: { query: () => unknown } }).master, 'query');

  it('lookUp repeats a read on another connection after the first one was cut', async () => {
    const dataSource = await open();
    const [{ pid } = { pid: 0 }] = await dataSource.query<{ pid: number }[]>('SELECT pg_backend_pid() AS pid');
    const cutSql = `SELECT pg_backend_pid() AS pid, CASE WHEN pg_backend_pid() = $1::int THEN pg_terminate_backend($1::int) END,
      pg_sleep(CASE WHEN pg_backend_pid() = $1::int THEN 5 ELSE 0 END)`;
    const [row] = await new Database(dataSource).lookUp<{ pid: number }>('cut', cutSql, [pid]);
    expect(row?.pid).toBeGreaterThan(0);
    expect(row?.pid).not.toBe(pid);
  });

  it.each([
    ['twice if both connections are cut', 2, 'SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(5)'],
    ['once if the statement fails', 1, 'SELECT 1 / 0'],
  ])('lookUp sends a read %s', async (_, times, sql) => {
    const dataSource = await open();
    const query = sent(dataSource);
    const failure = await failureOf(new Database(dataSource).lookUp('failing', sql, []));
    expect(isDatabaseUnavailable(failure)).toBe(times === 2);
    expect(query).toHaveBeenCalledTimes(times);
  });
});
