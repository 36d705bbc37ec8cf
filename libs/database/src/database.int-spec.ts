import { randomId } from '@passwright/core';
import { testDatabase } from '@passwright/testing';
import { DataSource, type EntityManager } from 'typeorm';
import { Database } from './database.js';
import { isForeignKeyViolation, isUniqueViolation } from './unique-violation.js';

let dataSource: DataSource;
let database: Database;
beforeAll(async () => {
  const { url } = await testDatabase();
  dataSource = await new DataSource({ type: 'postgres', url, poolSize: 5 }).initialize();
  database = new Database(dataSource);
});
afterAll(() => dataSource.destroy());

const newId = () => `acc_${randomId()}`;

async function insert(tx: EntityManager, id: string): Promise<void> {
  await tx.query(`INSERT INTO account (id, name, created_at) VALUES ($1, 'x', now())`, [id]);
}

async function exists(id: string, manager = database.reads): Promise<boolean> {
  return (await manager.query<unknown[]>('SELECT 1 FROM account WHERE id = $1', [id])).length === 1;
}

describe('transaction', () => {
  it('commits what it wrote, and returns what its work returns', async () => {
    const id = newId();
    expect(await database.transaction((tx) => insert(tx, id).then(() => 7))).toBe(7);
    expect(await exists(id)).toBe(true);
  });

  it('leaves nothing when its work throws', async () => {
    const id = newId();
    const work = database.transaction(async (tx) => {
      await insert(tx, id);
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(await exists(id)).toBe(false);
  });

  it('is invisible to plain reads until it commits', async () => {
    const id = newId();
    await database.transaction(async (tx) => {
      await insert(tx, id);
      expect(await exists(id)).toBe(false);
    });
  });
});

describe('constraint violations', () => {
  const failure = (work: (tx: EntityManager) => Promise<unknown>) =>
    database.transaction(work).then(
      () => null,
      (error: unknown) => error,
    );

  it('are told by the name of the constraint', async () => {
    const id = newId();
    const twice = await failure(async (tx) => {
      await insert(tx, id);
      await insert(tx, id);
    });
    expect(isUniqueViolation(twice, 'account_pkey')).toBe(true);
    expect(isUniqueViolation(twice, 'other_key')).toBe(false);
    expect(isForeignKeyViolation(twice, 'account_pkey')).toBe(false);
  });

  it('of foreign keys are told apart from those of unique ones', async () => {
    const orphan = await failure((tx) =>
      tx.query(
        `INSERT INTO account_member (account_id, uid, is_admin, created_at) VALUES ('nobody', 'nobody', true, now())`,
      ),
    );
    const constraint = (orphan as { driverError: { constraint: string } }).driverError.constraint;
    expect(isForeignKeyViolation(orphan, constraint)).toBe(true);
    expect(isUniqueViolation(orphan, constraint)).toBe(false);
  });

  it('are nothing else', () => {
    expect(isUniqueViolation(new Error('account_pkey'), 'account_pkey')).toBe(false);
    expect(isUniqueViolation(null, 'account_pkey')).toBe(false);
  });
});

it('ping says whether the server answers', async () => {
  await expect(database.ping()).resolves.toBeUndefined();
  const ended = await new DataSource({ ...dataSource.options }).initialize();
  await ended.destroy();
  await expect(new Database(ended).ping()).rejects.toThrow();
});
