import assert from 'node:assert';
import type { EventEmitter } from 'node:events';
import { randomId } from '@passwright/core';
import { lockWaitsSql, testDatabase } from '@passwright/testing';
import { types } from 'pg';
import { Column, DataSource, Entity, type EntityManager, PrimaryColumn } from 'typeorm';
import { Database } from './database.js';
import { longTimers } from './connections/long-timers.fixtures.js';
import { runWithNext } from './connections/run-with-next.js';
import { serviceClient } from './connections/service-client.js';

@Entity('account')
class NamedAccount {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  name!: string | null;
}

let dataSource: DataSource;
let database: Database;
let id: string;

beforeAll(async () => {
  const { url } = await testDatabase();
  // Use one connection, so that each test sees the state that the previous test left.
  dataSource = await new DataSource({
    type: 'postgres',
    url,
    poolSize: 1,
    entities: [NamedAccount],
    extra: { Client: serviceClient(30_000) },
  }).initialize();
  database = new Database(dataSource);
});
beforeEach(() => (id = `acc_${randomId()}`));
afterAll(() => dataSource.destroy());

const insertSql = `INSERT INTO account (id, name, created_at) VALUES ($1, 'x', now())`;
const insert = (tx: EntityManager, account = id) => tx.query(insertSql, [account]);
const exists = async (account = id) =>
  (await dataSource.query<unknown[]>('SELECT FROM account WHERE id = $1', [account])).length === 1;
const failing = (tx: EntityManager) => runWithNext(tx, 'SELECT 1 / $1::int', ['0']);
const DIVISION = { driverError: { code: '22012' } };

it('a statement sent together with others returns only its own result', async () => {
  await database.transaction(async (tx) => {
    await runWithNext(tx, 'SELECT n FROM generate_series(1, $1::int) n', ['3']);
    expect(await tx.query('SELECT $1::text AS own', ['result'])).toEqual([{ own: 'result' }]);
    await runWithNext(tx, insertSql, [id]);
    expect(await database.prepared(tx, 'joined-named', 'SELECT name FROM account WHERE id = $1', [id])).toEqual([
      { name: 'x' },
    ]);
  });
  expect(await exists()).toBe(true);
});

it('a statement fails when the statement sent before it fails, and works when it is sent again', async () => {
  const named = (tx: EntityManager, what: string) =>
    database.prepared(tx, 'joined-skipped', `${insertSql} RETURNING id`, [what]);
  const work = database.transaction(async (tx) => {
    await failing(tx);
    await named(tx, id);
  });
  await expect(work).rejects.toMatchObject({ code: '22012' });
  expect(await exists()).toBe(false);
  expect(await database.transaction((tx) => named(tx, id))).toEqual([{ id }]);
});

it('a named statement whose preparation failed is prepared again the next time', async () => {
  const named = (tx: EntityManager) => database.prepared(tx, 'joined-unprepared', 'SELECT name FROM not_there_yet', []);
  await expect(database.transaction(named)).rejects.toMatchObject({ code: '42P01' });
  await database.transaction(async (tx) => {
    await tx.query(`CREATE TEMPORARY TABLE not_there_yet ON COMMIT DROP AS SELECT 'now' AS name`);
    await tx.query('SAVEPOINT before');
    expect(await named(tx)).toEqual([{ name: 'now' }]);
  });
});

it('a named statement that the server skipped after a failure is planned when it is sent again', async () => {
  const run = (tx: EntityManager) => runWithNext(tx, `${insertSql} ON CONFLICT DO NOTHING`, [id], 'joined-held');
  const isPlanned = async () =>
    (await dataSource.query<unknown[]>(`SELECT FROM pg_prepared_statements WHERE name = 'joined-held'`)).length === 1;
  const skipped = database.transaction(async (tx) => {
    await failing(tx);
    await run(tx);
  });
  await expect(skipped).rejects.toMatchObject(DIVISION);
  expect([await isPlanned(), await exists()]).toEqual([false, false]);
  for (let time = 0; time < 2; time++) {
    await database.transaction(run);
    expect([await isPlanned(), await exists()]).toEqual([true, true]);
  }
});

describe('statements gathered in one turn of the event loop', () => {
  const gather = (tx: EntityManager, sql: string, ...values: unknown[]) =>
    database.prepared<Record<string, unknown>>(tx, sql.slice(0, 60), sql, values, true);

  /** Counts the round trips of `work` on the connection of a transaction. */
  async function countTrips(tx: EntityManager, work: () => Promise<unknown>): Promise<number> {
    const { connection } = (await tx.queryRunner!.connect()) as { connection: EventEmitter };
    let trips = 0;
    const count = () => trips++;
    connection.on('readyForQuery', count);
    await work();
    connection.off('readyForQuery', count);
    return trips;
  }

  it('gathered statements share a round trip with the statements held back before them, and each gets its own result', async () => {
    // The first round asks for the columns. In the second round, the connection knows them.
    for (const name of ['first', 'second']) {
      await database.transaction(async (tx) => {
        let results: unknown;
        const trips = await countTrips(tx, async () => {
          await runWithNext(tx, 'INSERT INTO account (id, name, created_at) VALUES ($1, $2, now())', [id + name, name]);
          results = await Promise.all([
            gather(tx, 'SELECT name FROM account WHERE id = $1', id + name),
            gather(tx, 'SELECT n::int AS number FROM generate_series(1, $1::int) n', 2),
            gather(tx, 'SELECT FROM account WHERE id = $1', 'nobody'),
          ]);
        });
        expect([trips, results]).toEqual([1, [[{ name }], [{ number: 1 }, { number: 2 }], []]]);
      });
    }
  });

  it('a later statement or a commit is sent together with the gathered statements', async () => {
    let gathered: Promise<unknown> = Promise.resolve();
    await database.transaction(async (tx) => {
      const trips = await countTrips(tx, async () => {
        gathered = gather(tx, 'SELECT 1 AS one');
        expect(await tx.query('SELECT 2 AS two')).toEqual([{ two: 2 }]);
        expect(await gathered).toEqual([{ one: 1 }]);
      });
      expect(trips).toBe(1);
      gathered = gather(tx, 'SELECT 3 AS three');
    });
    expect(await gathered).toEqual([{ three: 3 }]);
  });

  it('a failed statement also fails the gathered statements after it, but not those before it', async () => {
    const outcomes: PromiseSettledResult<unknown>[] = [];
    const work = database.transaction(async (tx) => {
      const statements = ['SELECT 1 AS one', 'SELECT 1 / 0 AS none', 'SELECT 2 AS two'].map((sql) => gather(tx, sql));
      outcomes.push(...(await Promise.allSettled(statements)));
      await insert(tx);
    });
    await expect(work).rejects.toMatchObject({ driverError: { code: '25P02' } });
    const failed = { status: 'rejected', reason: expect.objectContaining({ code: '22012' }) };
    expect(outcomes).toEqual([{ status: 'fulfilled', value: [{ one: 1 }] }, failed, failed]);
    await database.transaction(async (tx) => expect(await gather(tx, 'SELECT 2 AS two')).toEqual([{ two: 2 }]));
  });

  it('a rollback fails the statements that the connection has not sent', async () => {
    let gathered: Promise<unknown> = Promise.resolve();
    const work = database.transaction((tx) => {
      gathered = gather(tx, insertSql, id);
      gathered.catch(() => undefined);
      throw new Error('early');
    });
    await expect(work).rejects.toThrow('early');
    await expect(gathered).rejects.toThrow('rolled back');
    expect(await exists()).toBe(false);
  });

  it('a statement that is held back after the gathered ones fails the next statement with its own error', async () => {
    const work = database.transaction(async (tx) => {
      const [gathered] = await Promise.all([gather(tx, 'SELECT 1 AS one'), failing(tx)]);
      expect(gathered).toEqual([{ one: 1 }]);
    });
    await expect(work).rejects.toMatchObject(DIVISION);
  });

  it('values of gathered statements are parsed as by default, even if the app has replaced parsers of pg', async () => {
    const { JSONB } = types.builtins;
    const parser = types.getTypeParser(JSONB);
    types.setTypeParser(JSONB, () => 'replaced');
    await database.transaction(async (tx) => {
      const select = `SELECT '{"a": 1}'::jsonb AS value`;
      const results = await Promise.all([gather(tx, select), gather(tx, `${select} LIMIT 1`), gather(tx, 'SELECT')]);
      expect(results.slice(0, 2)).toEqual([[{ value: { a: 1 } }], [{ value: { a: 1 } }]]);
    });
    types.setTypeParser(JSONB, parser);
  });

  it('a value that cannot be converted fails all gathered statements, and the connection stays usable', async () => {
    const unusable = { toPostgres: () => assert.fail('no value') };
    const work = database.transaction(async (tx) => {
      const statements = [gather(tx, 'SELECT $1::text', unusable), gather(tx, 'SELECT 1 AS one')];
      const outcomes = await Promise.allSettled(statements);
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      throw new Error('undone');
    });
    await expect(work).rejects.toThrow('undone');
    expect(await dataSource.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('a connection that ends fails all gathered statements', async () => {
    const work = database.transaction(async (tx) => {
      const [row] = await tx.query<{ pid: number }[]>('SELECT pg_backend_pid() AS pid');
      const statements = ['SELECT pg_terminate_backend($1)', 'SELECT $1::int AS pid'].map((sql) =>
        gather(tx, sql, row?.pid),
      );
      const outcomes = await Promise.allSettled(statements);
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    });
    await expect(work).rejects.toThrow();
    expect(await dataSource.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

it('a lock and the statement sent with it may together take longer than the limit of one statement', async () => {
  const statementMs = 600_000;
  const { url } = dataSource.options as { url: string };
  const extra = { Client: serviceClient(statementMs) };
  const two = await new DataSource({ type: 'postgres', url, poolSize: 2, extra }).initialize();
  await two.transaction(async (holder) => {
    await holder.query('SELECT pg_advisory_lock(1)');
    const { timers, restore } = longTimers(statementMs);
    const locking = two.transaction(async (tx) => {
      await runWithNext(tx, 'SELECT pg_advisory_xact_lock(1)', []);
      return tx.query('SELECT 1 AS one');
    });
    while ((await dataSource.query<unknown[]>(lockWaitsSql)).length === 0);
    const [reachLimit] = timers;
    await holder.query('SELECT');
    reachLimit?.();
    restore();
    await holder.query('SELECT pg_advisory_unlock(1)');
    expect([typeof reachLimit, await locking]).toEqual(['function', [{ one: 1 }]]);
  });
  await two.destroy();
});

it('an update that is sent together with the next statement makes that statement fail if it fails', async () => {
  const rename = (tx: EntityManager, name: string | null) => database.update(tx, NamedAccount, { id }, { name }, true);
  await database.transaction((tx) => insert(tx));
  await database.transaction(async (tx) => {
    await rename(tx, 'y');
    expect(await tx.query('SELECT name FROM account WHERE id = $1', [id])).toEqual([{ name: 'y' }]);
  });
  const rejected = { code: '23502' };
  await database
    .transaction(async (tx) => {
      await rename(tx, null);
      await expect(tx.query('SELECT 1')).rejects.toMatchObject({ driverError: rejected });
      throw new Error('The transaction is at an end');
    })
    .catch(() => undefined);
  await expect(database.transaction((tx) => rename(tx, null))).rejects.toMatchObject({ driverError: rejected });
});

it('a failed held-back update makes only its nested transaction fail, at the end of that transaction', async () => {
  const rename = (tx: EntityManager, name: string | null) => database.update(tx, NamedAccount, { id }, { name }, true);
  await database.inOneTransaction(async () => {
    await database.transaction((tx) => insert(tx));
    await expect(database.transaction((tx) => rename(tx, null))).rejects.toMatchObject({
      driverError: { code: '23502' },
    });
    await database.transaction((tx) => rename(tx, 'y'));
  });
  expect(await dataSource.query('SELECT name FROM account WHERE id = $1', [id])).toEqual([{ name: 'y' }]);
});

it('a commit fails when the statement sent before it fails, and commits nothing', async () => {
  const work = database.transaction(async (tx) => {
    await insert(tx);
    await failing(tx);
  });
  await expect(work).rejects.toMatchObject(DIVISION);
  expect(await exists()).toBe(false);
});

it('a transaction fails at its end even if its work caught the failure of a statement', async () => {
  const work = database.transaction(async (tx) => {
    await insert(tx);
    await tx.query('SELECT 1 / 0').catch(() => undefined);
  });
  await expect(work).rejects.toMatchObject({
    message: expect.stringContaining('rolled back at its COMMIT'),
    driverError: { cause: { code: '22012' } },
  });
  expect(await exists()).toBe(false);
});

it('a transaction sends and commits a statement that was held back, even if no other statement follows', async () => {
  await database.transaction((tx) => runWithNext(tx, insertSql, [id]));
  expect(await exists()).toBe(true);
});

it('a transaction without statements leaves the connection unchanged, even if its work throws', async () => {
  await database.transaction(() => Promise.resolve());
  await expect(database.transaction(() => Promise.reject(new Error('early')))).rejects.toThrow('early');
  expect(await dataSource.query('SELECT now() = statement_timestamp() AS alone')).toEqual([{ alone: true }]);
});

it('a failed nested transaction is rolled back alone, even if its beginning was never sent to the server', async () => {
  const [early, late, after] = [`${id}-early`, `${id}-late`, `${id}-after`];
  await database
    .transaction(async (tx) => {
      await expect(tx.transaction(() => Promise.reject(new Error('before')))).rejects.toThrow('before');
      await insert(tx, early);
      const nested = tx.transaction(async (inner) => {
        await insert(inner, late);
        await inner.transaction((innermost) => insert(innermost));
        await insert(inner, late);
      });
      await expect(nested).rejects.toMatchObject({ driverError: { code: '23505' } });
      await expect(tx.transaction(failing)).rejects.toMatchObject(DIVISION);
      await insert(tx, after);
      throw new Error('The transaction is at an end');
    })
    .catch(() => undefined);
  expect(await Promise.all([early, late, id, after].map((each) => exists(each)))).toEqual([false, false, false, false]);

  await database.transaction(async (tx) => {
    await insert(tx, early);
    await tx.transaction(async (inner) => insert(inner, late).then(() => insert(inner, late))).catch(() => undefined);
    await insert(tx, after);
  });
  expect(await Promise.all([early, late, after].map((each) => exists(each)))).toEqual([true, false, true]);
});

it.each(['for the first time', 'after another nested transaction has failed'])(
  'a statement that fails before a nested transaction %s fails the whole transaction',
  async (when) => {
    const work = database.transaction(async (tx) => {
      await insert(tx);
      if (when !== 'for the first time') await tx.transaction(failing).catch(() => undefined);
      await failing(tx);
      await tx.transaction((inner) => inner.query('SELECT')).catch(() => undefined);
    });
    await expect(work).rejects.toThrow('rolled back at its COMMIT');
    expect([await exists(), await dataSource.query('SELECT 1 AS one')]).toEqual([false, [{ one: 1 }]]);
  },
);

it('a nested transaction whose savepoint is missing fails at its end', async () => {
  const work = database.transaction(async (tx) => {
    await failing(tx);
    const nested = tx.transaction((inner) => inner.query('SELECT').catch(() => undefined));
    await expect(nested).rejects.toMatchObject(DIVISION);
  });
  await expect(work).rejects.toThrow('rolled back at its COMMIT');
});

describe('a nested transaction whose work caught the failure of a statement', () => {
  const divide = (tx: EntityManager) => tx.query('SELECT 1 / 0').catch(() => undefined);
  const gathered = (tx: EntityManager) =>
    database.prepared(tx, 'joined-caught', 'SELECT 1 / $1::int', [0], true).catch(() => undefined);

  it.each([
    ['the statement was the last one', divide],
    ['the statement shared a round trip', gathered],
    ['another statement followed', (tx: EntityManager) => divide(tx).then(() => divide(tx))],
    ['a held-back statement followed', (tx: EntityManager) => divide(tx).then(() => runWithNext(tx, 'SELECT', []))],
  ])('only the nested transaction fails, with the error of that statement, if %s', async (_, work) => {
    const [inner, after] = [`${id}-inner`, `${id}-after`];
    await database.transaction(async (tx) => {
      await insert(tx);
      const nested = tx.transaction((within) => insert(within, inner).then(() => work(within)));
      await expect(nested).rejects.toMatchObject(DIVISION);
      await insert(tx, after);
    });
    expect(await Promise.all([id, inner, after].map((each) => exists(each)))).toEqual([true, false, true]);
  });

  it('the nested transaction succeeds if the work rolled back to a savepoint of its own', async () => {
    await database.transaction((tx) =>
      tx.transaction(async (inner) => {
        await inner.query('SAVEPOINT own');
        await divide(inner);
        await inner.query('ROLLBACK TO SAVEPOINT own');
        await insert(inner);
      }),
    );
    expect(await exists()).toBe(true);
  });

  it('an error before a transaction does not fail the nested transactions of that transaction', async () => {
    await divide(dataSource.manager);
    await database.transaction(async (tx) => {
      await tx.transaction(() => Promise.resolve());
      await insert(tx);
    });
    expect(await exists()).toBe(true);
  });
});

it('a statement outside a transaction does not become part of the next transaction of its connection', async () => {
  const runner = dataSource.createQueryRunner();
  await runWithNext(runner.manager, insertSql, [id]);
  await runner.startTransaction();
  await runner.query('SELECT');
  await runner.rollbackTransaction();
  await runner.release();
  expect(await exists()).toBe(true);
});

it('a script of several statements is part of the transaction that began before it', async () => {
  const script = (account: string) =>
    `INSERT INTO account (id, name, created_at) VALUES ('${account}', 'x', now()); SELECT 1`;
  const work = database.transaction(async (tx) => {
    await tx.query(script(id));
    throw new Error('undone');
  });
  await expect(work).rejects.toThrow('undone');
  expect(await exists()).toBe(false);
  await database.transaction((tx) => tx.query(script(id)));
  expect(await exists()).toBe(true);
});
