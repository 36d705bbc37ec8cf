import { testDatabase } from '@passwright/testing';
import type { Client } from 'pg';
import { serviceClient } from './service-client.js';

let client: Client;
let url: string;
/** The number of descriptions of columns that the server has sent. */
let descriptions = 0;

const text = 'SELECT $1::int AS n, $2::timestamptz AS at, $3::jsonb AS json, NULL AS nothing';
const statement = (n: number) => ({ name: 'columns', text, values: [n, new Date(n), JSON.stringify({ n })] });
const row = (n: number) => ({ n, at: new Date(n), json: { n }, nothing: null });

async function open(preparedStatements = true): Promise<Client> {
  const opened = new (serviceClient(30_000, { preparedStatements }))(url);
  await opened.connect();
  (opened.connection as unknown as NodeJS.EventEmitter).on('rowDescription', () => (descriptions += 1));
  return opened;
}

beforeAll(async () => {
  ({ url } = await testDatabase());
});
beforeEach(async () => {
  client = await open();
  descriptions = 0;
});
afterEach(() => client.end());

it('a connection asks the server for the columns of a prepared statement once, and returns the same rows each time', async () => {
  for (const n of [1, 2, 3]) expect((await client.query(statement(n))).rows).toEqual([row(n)]);
  expect(descriptions).toBe(1);
});

it('each connection asks for the columns itself, and asks each time if the statement has no name', async () => {
  const other = await open();
  await Promise.all([client, other].map((each) => each.query(statement(1))));
  await other.end();
  expect(descriptions).toBe(2);
  for (const n of [1, 2]) await client.query(text, statement(n).values);
  expect(descriptions).toBe(4);
});

it('a connection without prepared statements asks for the columns of each statement', async () => {
  const other = await open(false);
  descriptions = 0;
  expect((await other.query({ name: 'one', text: 'SELECT $1::int AS one', values: [1] })).rows).toEqual([{ one: 1 }]);
  expect((await other.query({ name: 'two', text: 'SELECT $1::int AS two', values: [2] })).rows).toEqual([{ two: 2 }]);
  await other.end();
  expect(descriptions).toBe(2);
});

it('a callback receives the rows, and a result without rows has the names of its columns', async () => {
  await client.query(statement(1));
  const rows = await new Promise((resolve, reject) => {
    const query = client.query.bind(client) as unknown as (...args: unknown[]) => void;
    query(statement(2), undefined, (error: Error | null, result: { rows: unknown[] }) =>
      error ? reject(error) : resolve(result.rows),
    );
  });
  expect(rows).toEqual([row(2)]);
  const none = { name: 'none', text: 'SELECT $1::int AS n WHERE false', values: [1] };
  for (const _ of [1, 2]) {
    const { rows, fields } = await client.query(none);
    expect([rows, fields.map(({ name }) => name)]).toEqual([[], ['n']]);
  }
});

it('a prepared statement that fails leaves its connection usable', async () => {
  const divided = (by: number) => client.query({ name: 'divided', text: 'SELECT 6 / $1::int AS n', values: [by] });
  expect((await divided(2)).rows).toEqual([{ n: 3 }]);
  await expect(divided(0)).rejects.toMatchObject({ code: '22012' });
  expect((await divided(3)).rows).toEqual([{ n: 2 }]);
});

it('the server rejects a prepared statement whose columns have changed', async () => {
  await client.query('CREATE TEMP TABLE changing (n int); INSERT INTO changing VALUES (7)');
  const all = { name: 'changing', text: 'SELECT * FROM changing', values: [] };
  expect((await client.query(all)).rows).toEqual([{ n: 7 }]);
  await client.query('ALTER TABLE changing ADD other text');
  await expect(client.query(all)).rejects.toThrow('cached plan must not change result type');
  await client.query('ALTER TABLE changing DROP other');
  await client.query('ALTER TABLE changing RENAME n TO m');
  await expect(client.query(all)).rejects.toThrow('cached plan must not change result type');
});

it('a transaction asks for the columns of a prepared statement once', async () => {
  for (const n of [1, 2]) {
    await client.query('START TRANSACTION');
    const held = { name: 'held', text: 'SELECT $1::int AS held', values: [n], held: true };
    await client.query(held as object as { text: string });
    expect((await client.query(statement(n))).rows).toEqual([row(n)]);
    await client.query('COMMIT');
  }
  expect(descriptions).toBe(1);
});
