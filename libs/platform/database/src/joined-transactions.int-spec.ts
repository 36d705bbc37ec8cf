import { randomId } from '@passwright/core';
import { testDatabase } from '@passwright/testing';
import { DataSource, type EntityManager } from 'typeorm';
import { Database } from './database.js';

let dataSource: DataSource;
let database: Database;
beforeEach(async () => {
  const { url } = await testDatabase();
  dataSource = await new DataSource({ type: 'postgres', url, poolSize: 5 }).initialize();
  database = new Database(dataSource);
});
// If a test leaks a connection, the pool cannot close, and this hook fails the test.
afterEach(() => dataSource.destroy());

const newId = () => `acc_${randomId()}`;

async function insert(tx: EntityManager, id: string): Promise<void> {
  await tx.query(`INSERT INTO account (id, name, created_at) VALUES ($1, 'x', now())`, [id]);
}

async function exists(id: string, manager = database.reads): Promise<boolean> {
  return (await manager.query<unknown[]>('SELECT 1 FROM account WHERE id = $1', [id])).length === 1;
}

const committed = (...ids: string[]) => Promise.all(ids.map((id) => exists(id, dataSource.manager)));

/** Returns how many connections of the pool are in use. */
function taken(): number {
  const { totalCount, idleCount } = (
    dataSource.driver as unknown as { master: { totalCount: number; idleCount: number } }
  ).master;
  return totalCount - idleCount;
}

/** Returns a barrier that opens when `count` callers have reached it. */
function meetingOf(count: number): () => Promise<void> {
  let open: () => void = () => undefined;
  const complete = new Promise<void>((resolve) => (open = resolve));
  let missing = count;
  return () => {
    if (--missing === 0) open();
    return complete;
  };
}

describe('inOneTransaction', () => {
  it('inOneTransaction shows its writes to plain reads and look-ups inside it, but not to reads outside', async () => {
    const id = newId();
    const lookUp = () => database.lookUp('find-account', 'SELECT id FROM account WHERE id = $1', [id]);
    await database.inOneTransaction(async () => {
      expect([await exists(id), await lookUp()]).toEqual([false, []]);
      await database.transaction((tx) => insert(tx, id));
      expect([await exists(id), await lookUp()]).toEqual([true, [{ id }]]);
      expect(await committed(id)).toEqual([false]);
    });
    expect(await committed(id)).toEqual([true]);
  });

  it('inOneTransaction holds a connection from its first inner transaction until its end', async () => {
    const held: number[] = [];
    await database.inOneTransaction(async () => {
      await exists(newId());
      held.push(taken());
      await database.transaction((tx) => insert(tx, newId()));
      held.push(taken());
      await database.transaction((tx) => insert(tx, newId()));
      await exists(newId());
      held.push(taken());
    });
    expect([...held, taken()]).toEqual([0, 1, 1, 0]);
  });

  it('inOneTransaction opens no transaction if its work needs none', async () => {
    const first = jest.fn();
    expect(await database.inOneTransaction(() => Promise.resolve(7), first)).toBe(7);
    expect(first).not.toHaveBeenCalled();
  });

  it('inOneTransaction rolls back everything when its work throws, even inner transactions that have ended', async () => {
    const [first, second, third] = [newId(), newId(), newId()];
    const work = database.inOneTransaction(
      async (begin) => {
        await database.transaction((tx) => insert(tx, second));
        await insert(await begin(), third);
        throw new Error('late');
      },
      (tx) => insert(tx, first),
    );
    await expect(work).rejects.toThrow('late');
    expect(await committed(first, second, third)).toEqual([false, false, false]);
  });

  it('inOneTransaction turns an inner transaction into a savepoint, so that its failure does not undo other writes', async () => {
    const [stored, lost, after] = [newId(), newId(), newId()];
    await database.inOneTransaction(async (begin) => {
      await insert(await begin(), stored);
      const inner = database.transaction(async (tx) => {
        await insert(tx, lost);
        await insert(tx, stored);
      });
      await expect(inner).rejects.toThrow('duplicate key');
      await database.transaction((tx) => insert(tx, after));
    });
    expect(await committed(stored, lost, after)).toEqual([true, false, true]);
  });

  it('inOneTransaction turns a nested call with a transaction into a savepoint', async () => {
    const [lost, stored] = [newId(), newId()];
    await database.inOneTransaction(async (begin) => {
      const inner = database.inOneTransaction(async () => {
        expect(taken()).toBe(0);
        await database.transaction((tx) => insert(tx, lost));
        throw new Error('inner');
      });
      await expect(inner).rejects.toThrow('inner');
      await insert(await begin(), stored);
    });
    expect(await committed(lost, stored)).toEqual([false, true]);
  });

  it('inOneTransaction hides the uncommitted writes of simultaneous calls from each other', async () => {
    const ids = [newId(), newId(), newId()];
    const [written, read] = [meetingOf(ids.length), meetingOf(ids.length)];
    const visible = ids.map((id) =>
      database.inOneTransaction(async (begin) => {
        await insert(await begin(), id);
        await written();
        const seen: string[] = [];
        for (const other of ids) if (await exists(other)) seen.push(other);
        await read();
        return seen;
      }),
    );
    expect(await Promise.all(visible)).toEqual(ids.map((id) => [id]));
  });

  it('inOneTransaction ends with its work; later reads and writes run outside the transaction', async () => {
    await database.inOneTransaction((begin) => begin());
    const id = newId();
    await database.transaction((tx) => insert(tx, id));
    expect(database.reads).toBe(dataSource.manager);
    expect(await exists(id)).toBe(true);
  });
});

describe('`first` of inOneTransaction', () => {
  it('`first` of inOneTransaction runs once, before every write, and commits with the writes', async () => {
    const [first, second, third] = [newId(), newId(), newId()];
    const order: string[] = [];
    await database.inOneTransaction(
      async () => {
        await Promise.all(
          [second, third].map((id) => database.transaction((tx) => insert(tx, id).then(() => void order.push(id)))),
        );
      },
      (tx) => insert(tx, first).then(() => void order.push(first)),
    );
    expect(order).toEqual([first, second, third]);
    expect(await committed(first, second, third)).toEqual([true, true, true]);
  });

  it('an error in `first` of inOneTransaction fails the whole transaction, even if the work ignores the error', async () => {
    const id = newId();
    const work = database.inOneTransaction(
      () => Promise.allSettled([database.transaction((tx) => insert(tx, id)), database.transaction(() => exists(id))]),
      () => Promise.reject(new Error('taken')),
    );
    await expect(work).rejects.toThrow('taken');
    expect([await committed(id), taken()]).toEqual([[false], 0]);
  });
});

describe('simultaneous transactions inside inOneTransaction', () => {
  it('simultaneous inner transactions run one after the other, and a failed one does not undo the others', async () => {
    const [a, b, c] = [newId(), newId(), newId()];
    await database.inOneTransaction(async () => {
      const results = await Promise.allSettled([
        database.transaction((tx) => insert(tx, a)),
        database.transaction(async (tx) => {
          await insert(tx, b);
          throw new Error('no');
        }),
        database.transaction((tx) => insert(tx, c)),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    });
    expect(await committed(a, b, c)).toEqual([true, false, true]);
  });

  it('a transaction inside an inner transaction does not wait for the inner one to end', async () => {
    const [outer, inner] = [newId(), newId()];
    await database.inOneTransaction(() =>
      database.transaction(async (tx) => {
        await insert(tx, outer);
        await database.transaction((nested) => insert(nested, inner));
      }),
    );
    expect(await committed(outer, inner)).toEqual([true, true]);
  });

  it('a failure of the outer work rolls back running inner transactions and prevents waiting ones', async () => {
    const [running, waiting] = [newId(), newId()];
    const pending: Promise<unknown>[] = [];
    const work = database.inOneTransaction(() => {
      pending.push(
        database.transaction((tx) => insert(tx, running)),
        database.transaction((tx) => insert(tx, waiting)),
      );
      return Promise.reject(new Error('rejected'));
    });
    await expect(work).rejects.toThrow('rejected');
    await Promise.allSettled(pending);
    expect([await committed(running, waiting), taken()]).toEqual([[false, false], 0]);
  });

  it('an inner transaction cannot begin after the outer one has ended', async () => {
    const id = newId();
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    let straggler: Promise<void> = Promise.resolve();
    await database.inOneTransaction(() => {
      straggler = ended.then(() => database.transaction((tx) => insert(tx, id)));
      return Promise.resolve();
    });
    end();
    await expect(straggler).rejects.toThrow('has ended');
    expect(await committed(id)).toEqual([false]);
  });
});

it('a broken connection fails the transaction and is removed from the pool', async () => {
  const id = newId();
  const work = database.inOneTransaction(async (begin) => {
    const tx = await begin();
    await insert(tx, id);
    const [row] = await tx.query<{ pid: number }[]>('SELECT pg_backend_pid() AS pid');
    await dataSource.query('SELECT pg_terminate_backend($1)', [row?.pid]);
  });
  await expect(work).rejects.toThrow();
  expect([await committed(id), taken()]).toEqual([[false], 0]);
});
