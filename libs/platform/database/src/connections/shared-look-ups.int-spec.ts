import { testDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { serviceClient } from './service-client.js';
import { Database } from '../database.js';

interface Row {
  readonly pid: number;
  readonly n: number;
}

const sql = 'SELECT pg_backend_pid() AS pid, 100 / $1::int AS n';
const range = (length: number) => Array.from({ length }, (_, at) => at + 1);

let url: string;
let dataSource: DataSource;
let database: Database;

beforeAll(async () => {
  ({ url } = await testDatabase());
  dataSource = await open({ Client: serviceClient(30_000) });
  database = new Database(dataSource);
});
afterAll(() => dataSource.destroy());

const open = (extra: object) => new DataSource({ type: 'postgres', url, poolSize: 5, extra }).initialize();

const lookUp = async (n: number, { name = 'shared', on = database, gathers = false } = {}) => {
  const [row] = await on.lookUp<Row>(name, sql, [n], gathers);
  if (!row) throw new Error('the look-up returned no row');
  return row;
};

/** Counts the writes to the sockets of the pool while `work` runs. */
async function writesDuring(work: () => Promise<unknown>): Promise<number> {
  const { Socket } = jest.requireActual<typeof import('node:net')>('node:net');
  const writes = [jest.spyOn(Socket.prototype, '_write'), jest.spyOn(Socket.prototype as never, '_writev')];
  await work();
  const count = writes.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  for (const write of writes) write.mockRestore();
  return count;
}

it('simultaneous look-ups of a name are sent in one write on one connection, and each gets its own row', async () => {
  await lookUp(1);
  let rows: Row[] = [];
  const writes = await writesDuring(async () => {
    rows = await Promise.all(range(8).map((n) => lookUp(n)));
  });
  expect(writes).toBe(1);
  expect(new Set(rows.map(({ pid }) => pid)).size).toBe(1);
  expect(rows.map(({ n }) => n)).toEqual(range(8).map((n) => Math.trunc(100 / n)));
});

it('look-ups that begin later in the same turn of the event loop use the same connection', async () => {
  const rows = await Promise.all(range(4).map(async (n) => (await Promise.resolve(), lookUp(n))));
  expect(new Set(rows.map(({ pid }) => pid)).size).toBe(1);
});

it.each([
  ['gathered look-ups of several callbacks of a turn share the connection', true, 1],
  ['other look-ups of several callbacks of a turn use one connection each', false, 2],
])('simultaneous look-ups use connections by this rule: %s', async (_title, gathers, connections) => {
  const first = lookUp(1, { gathers });
  await new Promise((resolve) => process.nextTick(resolve));
  const rows = await Promise.all([first, lookUp(2, { gathers })]);
  expect(new Set(rows.map(({ pid }) => pid)).size).toBe(connections);
});

it('simultaneous look-ups of different names, and more than eight of a name, use several connections', async () => {
  const names = await Promise.all(['one', 'two', 'three'].map((name) => lookUp(1, { name })));
  expect(new Set(names.map(({ pid }) => pid)).size).toBe(3);
  const many = await Promise.all(range(20).map((n) => lookUp(n)));
  expect(new Set(many.map(({ pid }) => pid)).size).toBe(3);
});

it('a look-up that fails does not affect the others, and its connection still works', async () => {
  const results = await Promise.allSettled([4, 0, 5].map((n) => lookUp(n)));
  expect(results).toMatchObject([{ value: { n: 25 } }, { reason: { code: '22012' } }, { value: { n: 20 } }]);
  expect(await lookUp(10)).toMatchObject({ n: 10 });
  expect(await database.transaction((tx) => tx.query('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
});

it('look-ups whose connection was cut run again on another connection', async () => {
  const rows = await Promise.all(range(4).map((n) => lookUp(n)));
  const admin = await open({});
  const pids = [...new Set(rows.map(({ pid }) => pid))];
  await admin.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) pid', [pids]);
  await admin.destroy();
  expect((await Promise.all(range(4).map((n) => lookUp(n)))).map(({ n }) => n)).toEqual([100, 50, 33, 25]);
});

it('a look-up that takes too long fails at the time limit of a statement, and the others succeed', async () => {
  const impatient = await open({ Client: serviceClient(1000) });
  const on = new Database(impatient);
  const slow = (n: number) => on.lookUp('slow', 'SELECT pg_sleep($1::float8)', [n]);
  const [first, second] = await Promise.allSettled([slow(0), slow(60)]);
  expect([first.status, second]).toMatchObject(['fulfilled', { status: 'rejected', reason: { code: '57014' } }]);
  await impatient.destroy();
});

it('look-ups that a locked table delays on a new connection all fail with the error of the first look-up', async () => {
  await dataSource.query('CREATE TABLE locked_table (n int)');
  const impatient = await open({ Client: serviceClient(1000) });
  const on = new Database(impatient);
  const read = () => on.lookUp('locked', 'SELECT n FROM locked_table WHERE n = $1', [1]);
  await database.transaction(async (tx) => {
    await tx.query('LOCK TABLE locked_table IN ACCESS EXCLUSIVE MODE');
    const timedOut = { status: 'rejected', reason: { code: '57014' } };
    expect(await Promise.allSettled(range(4).map(read))).toMatchObject(range(4).map(() => timedOut));
  });
  expect(await Promise.all(range(4).map(read))).toEqual([[], [], [], []]);
  await impatient.destroy();
});

it('look-ups work without names of prepared statements', async () => {
  const nameless = await open({ Client: serviceClient(30_000, { preparedStatements: false }) });
  const on = new Database(nameless);
  expect((await Promise.all(range(3).map((n) => lookUp(n, { on })))).map(({ n }) => n)).toEqual([100, 50, 33]);
  expect(await nameless.query('SELECT name FROM pg_prepared_statements')).toEqual([]);
  await nameless.destroy();
});

it('look-ups on the connections of an app run simultaneously, each on its own connection', async () => {
  const plain = await open({});
  const rows = await Promise.all(range(3).map((n) => lookUp(n, { on: new Database(plain) })));
  expect(rows.map(({ n }) => n)).toEqual([100, 50, 33]);
  expect(new Set(rows.map(({ pid }) => pid)).size).toBe(3);
  await plain.destroy();
});
