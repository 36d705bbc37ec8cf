import { randomId } from '@passwright/core';
import { testDatabase } from '@passwright/testing';
import { DataSource, type EntityManager } from 'typeorm';
import { Database } from './database.js';

let dataSource: DataSource;
let database: Database;
beforeAll(async () => {
  const { url } = await testDatabase();
  dataSource = await new DataSource({ type: 'postgres', url, poolSize: 5 }).initialize();
  database = new Database(dataSource);
});
afterAll(() => dataSource.destroy());

const newId = () => `acc_${randomId()}`;
const insert = (tx: EntityManager, id: string) =>
  tx.query(`INSERT INTO account (id, name, created_at) VALUES ($1, '', now())`, [id]);
const append = (tx: EntityManager, id: string, text: string) =>
  tx.query('UPDATE account SET name = name || $2 WHERE id = $1', [id, text]);

async function names(...ids: string[]): Promise<string[]> {
  const rows = await dataSource.query<{ name: string }[]>(
    'SELECT name FROM account WHERE id = ANY ($1) ORDER BY array_position($1, id)',
    [ids],
  );
  return rows.map(({ name }) => name);
}

/**
 * Runs two transactions that lock the same two rows in opposite order. Each waits until the other has locked its first
 * row.
 */
async function crossed(run: (work: (tx: EntityManager) => Promise<void>) => Promise<void>): Promise<number> {
  const [left, right] = [newId(), newId()];
  await dataSource.transaction(async (tx) => {
    await insert(tx, left);
    await insert(tx, right);
  });
  let runs = 0;
  let waiting = 2;
  let meet: () => void = () => undefined;
  const met = new Promise<void>((resolve) => (meet = resolve));
  const cross = (first: string, second: string) => async (tx: EntityManager) => {
    runs++;
    await append(tx, first, 'a');
    if (--waiting === 0) meet();
    await met;
    await append(tx, second, 'b');
  };
  await Promise.all([run(cross(left, right)), run(cross(right, left))]);
  expect(await names(left, right)).toEqual([expect.stringMatching(/^(ab|ba)$/), expect.stringMatching(/^(ab|ba)$/)]);
  return runs;
}

it('a transaction runs once more after a deadlock ended it', async () => {
  expect(await crossed((work) => database.transaction(work))).toBe(3);
});

it('a nested transaction runs again after a deadlock and keeps the writes made before it', async () => {
  const [stored, other] = [newId(), newId()];
  const outer = [stored, other];
  const runs = await crossed(async (work) => {
    const id = outer.pop() as string;
    await database.inOneTransaction(async (begin) => {
      await insert(await begin(), id);
      await database.transaction(work);
    });
  });
  expect(runs).toBe(3);
  expect(await names(stored, other)).toHaveLength(2);
});

it('a transaction that fails in every attempt fails with the last error', async () => {
  let runs = 0;
  const work = database.transaction(async (tx) => {
    runs++;
    await tx.query(`DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '40001'; END $$`);
  });
  await expect(work).rejects.toMatchObject({ code: '40001' });
  expect(runs).toBe(4);
});

it('a transaction that fails for a reason other than a deadlock does not run again', async () => {
  let runs = 0;
  await expect(database.transaction(() => Promise.reject(new Error(`run ${++runs}`)))).rejects.toThrow('run 1');
  expect(runs).toBe(1);
});

it.each(['prepared statement name is already in use', 'prepared statement did not exist'])(
  'a transaction runs again if a pooler rejects the name of a statement: %s',
  async (message) => {
    const id = newId();
    let runs = 0;
    await database.transaction(async (tx) => {
      await insert(tx, id);
      if (++runs === 1) await tx.query(`DO $$ BEGIN RAISE EXCEPTION '${message}' USING ERRCODE = '08P01'; END $$`);
    });
    expect([runs, await names(id)]).toEqual([2, ['']]);
  },
);

it('a nested transaction fails without running again if a pooler rejects the name of a statement', async () => {
  const message = 'prepared statement did not exist';
  let runs = 0;
  const work = database.inOneTransaction(() =>
    database.transaction(async (tx) => {
      runs++;
      await tx.query(`DO $$ BEGIN RAISE EXCEPTION '${message}' USING ERRCODE = '08P01'; END $$`);
    }),
  );
  await expect(work).rejects.toThrow(message);
  expect(runs).toBe(1);
});
