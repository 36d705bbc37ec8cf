import type { EventEmitter } from 'node:events';
import { randomId } from '@passwright/core';
import { testDatabase } from '@passwright/testing';
import { DataSource, type EntityManager } from 'typeorm';
import { Database } from '../database.js';
import { hasRolledBack } from './temporary-errors.js';

// The connection of an app, which `serviceClient` has not made.
let dataSource: DataSource;
let database: Database;
let id: string;
beforeAll(async () => {
  const { url } = await testDatabase();
  dataSource = await new DataSource({ type: 'postgres', url, poolSize: 1 }).initialize();
  database = new Database(dataSource);
});
beforeEach(() => {
  id = `acc_${randomId()}`;
});
afterAll(() => dataSource.destroy());

const insert = (tx: EntityManager) =>
  tx.query(`INSERT INTO account (id, name, created_at) VALUES ($1, '', now())`, [id]);
const exists = async () => (await dataSource.query<unknown[]>('SELECT FROM account WHERE id = $1', [id])).length > 0;

/** Catches the failure of a statement, as an app may do. */
async function insertAndFail(tx: EntityManager): Promise<void> {
  await insert(tx);
  await tx.query('SELECT 1 / 0').catch(() => undefined);
}

it.each<[string, () => Promise<void>]>([
  ['transaction', () => database.transaction(insertAndFail)],
  ['inOneTransaction', () => database.inOneTransaction(async (begin) => insertAndFail(await begin()))],
])("%s on an app's own connection fails if the server has rolled back at the COMMIT", async (_method, run) => {
  const failure = await run().catch((error: unknown) => error);
  expect(failure).toMatchObject({ message: expect.stringContaining('rolled back at its COMMIT') });
  expect(hasRolledBack(failure)).toBe(true);
  expect(await exists()).toBe(false);
});

it("a step after the commit on an app's own connection runs only if the server has committed", async () => {
  const step = jest.fn(() => Promise.resolve());
  const work = (insertRow: typeof insert) => (tx: EntityManager) => {
    database.afterCommit(tx, step);
    return insertRow(tx);
  };
  await expect(database.transaction(work(insertAndFail))).rejects.toThrow('rolled back at its COMMIT');
  expect(step).not.toHaveBeenCalled();
  await database.transaction(work(insert));
  expect(step).toHaveBeenCalledTimes(1);
  expect(await exists()).toBe(true);
});

it("a nested transaction on an app's own connection may roll back alone", async () => {
  await database.transaction(async (tx) => {
    await insert(tx);
    await tx.transaction(insertAndFail).catch(() => undefined);
  });
  expect(await exists()).toBe(true);
});

it("transactions leave no listener on an app's own connection", async () => {
  const listeners = async () => {
    const runner = dataSource.createQueryRunner();
    const { connection } = (await runner.connect()) as { connection: EventEmitter };
    await runner.release();
    return connection.listenerCount('commandComplete');
  };
  const before = await listeners();
  await database.transaction(insert);
  await expect(database.transaction(insertAndFail)).rejects.toThrow();
  expect(await listeners()).toBe(before);
});
