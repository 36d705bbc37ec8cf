import { randomId } from '@passwright/core';
import { lockWaitsSql, testDatabase } from '@passwright/testing';
import { DatabaseError } from 'pg';
import { Column, DataSource, Entity, type EntityManager, PrimaryColumn } from 'typeorm';
import { serviceClient } from './connections/service-client.js';
import { Database } from './database.js';

@Entity('numbered')
class Numbered {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'integer' })
  n!: number;
}

let url: string;
let dataSource: DataSource;
let database: Database;
/** The key of the test's lock. The inserts of the test depend on the revision. */
let key: string;

beforeAll(async () => {
  ({ url } = await testDatabase());
  dataSource = await connected({ Client: serviceClient(30_000) });
  database = new Database(dataSource);
  await dataSource.query(`
    CREATE TABLE numbered (id text PRIMARY KEY, n integer NOT NULL CHECK (n < 10));
    CREATE TABLE revised (key text PRIMARY KEY, revision integer NOT NULL)`);
});
afterAll(() => dataSource.destroy());
beforeEach(async () => {
  key = randomId();
  await dataSource.query('INSERT INTO revised VALUES ($1, 1)', [key]);
});

function connected(extra: object): Promise<DataSource> {
  return new DataSource({ type: 'postgres', url, entities: [Numbered], extra }).initialize();
}

const lockSql = 'SELECT pg_advisory_xact_lock_shared(hashtext($1))';
const numbered = (id: string, n = 1) => Object.assign(new Numbered(), { id: `${key} ${id}`, n });

/**
 * Inserts rows if the revision is 1.
 * @returns the ids of the inserted rows, without the key of the test
 */
async function inserted(rows: readonly Numbered[], on = database): Promise<string[] | null> {
  const condition = {
    lock: { name: 'lock-numbered', text: lockSql, values: [key] },
    sql: 'JOIN revised ON revised.key = $2 AND revised.revision = $3',
    values: [key, 1],
  };
  const ids = await on.implicit.insertMany(Numbered, rows, 'id', condition);
  return ids && ids.map((id) => String(id).split(' ')[1] ?? '');
}

async function stored(): Promise<string[]> {
  const sql = 'SELECT id FROM numbered WHERE starts_with(id, $1) ORDER BY id';
  const rows = await dataSource.query<{ id: string }[]>(sql, [key]);
  return rows.map(({ id }) => id.split(' ')[1] ?? '');
}

const revise = (tx: EntityManager | DataSource) =>
  tx.query('UPDATE revised SET revision = revision + 1 WHERE key = $1', [key]);

it('insertMany inserts rows if its condition holds, and omits rows that conflict with existing ones', async () => {
  expect(await inserted([numbered('a'), numbered('b')])).toEqual(['a', 'b']);
  expect(await inserted([numbered('b'), numbered('c')])).toEqual(['c']);
  await revise(dataSource);
  expect(await inserted([numbered('d')])).toEqual([]);
  expect(await inserted([])).toEqual([]);
  expect(await stored()).toEqual(['a', 'b', 'c']);
});

it('insertMany checks its condition only after it has got its lock', async () => {
  const waiting = await database.transaction(async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock(hashtext($1))', [key]);
    const inserting = inserted([numbered('late')]);
    while ((await dataSource.query<unknown[]>(lockWaitsSql)).length === 0);
    await revise(tx);
    return { inserting };
  });
  expect(await waiting.inserting).toEqual([]);
  expect(await stored()).toEqual([]);
});

it('insertMany holds its lock until it has committed, and no longer', async () => {
  await dataSource.query(`
    CREATE FUNCTION require_lock() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) THEN
        RAISE 'not locked';
      END IF;
      RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER locked AFTER INSERT ON numbered DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION require_lock()`);
  try {
    expect(await inserted([numbered('a')])).toEqual(['a']);
    const [row] = await dataSource.query<unknown[]>('SELECT pg_try_advisory_xact_lock(hashtext($1)) AS free', [key]);
    expect(row).toEqual({ free: true });
  } finally {
    await dataSource.query('DROP FUNCTION require_lock CASCADE');
  }
});

it('insertMany inserts all rows or none, and its connection remains usable after an error', async () => {
  await expect(inserted([numbered('a'), numbered('b', 10)])).rejects.toMatchObject({
    query: expect.stringContaining('INSERT INTO numbered'),
    driverError: { code: '23514', constraint: 'numbered_n_check' },
  });
  expect(await inserted([numbered('c')])).toEqual(['c']);
  expect(await stored()).toEqual(['c']);
});

describe('a connection of insertMany', () => {
  type Connection = object & { queryAfter(...statements: object[]): Promise<object>; release(error?: Error): void };
  /** Replaces the connection that the next call gets. */
  const next = (replace: (client: Connection) => Partial<Connection>) => {
    const { master: pool } = dataSource.driver as unknown as { master: { connect(): Promise<Connection> } };
    const connect = pool.connect.bind(pool);
    jest.spyOn(pool, 'connect').mockImplementationOnce(async () => {
      const client = await connect();
      return Object.assign(Object.create(client) as Connection, replace(client));
    });
  };
  afterEach(() => jest.restoreAllMocks());

  it('insertMany runs again after a deadlock', async () => {
    const deadlock = Object.assign(new DatabaseError('deadlock detected', 0, 'error'), { code: '40P01' });
    next(() => ({ queryAfter: () => Promise.reject(deadlock) }));
    expect(await inserted([numbered('a')])).toEqual(['a']);
  });

  it('insertMany returns its connection to the pool after an error of the server, unless the connection is ending', async () => {
    const released: (Error | undefined)[] = [];
    const release = (client: Connection) => (error?: Error) => {
      released.push(error);
      client.release(error);
    };
    next((client) => ({ release: release(client) }));
    await expect(inserted([numbered('a', 10)])).rejects.toMatchObject({ driverError: { code: '23514' } });
    await dataSource.query(`
      CREATE FUNCTION end_connection() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
      CREATE TRIGGER ending AFTER INSERT ON numbered FOR EACH ROW EXECUTE FUNCTION end_connection()`);
    next((client) => ({ release: release(client) }));
    await expect(inserted([numbered('b')])).rejects.toMatchObject({ driverError: { code: '57P01' } });
    await dataSource.query('DROP FUNCTION end_connection CASCADE');
    expect(released[0]).toBeUndefined();
    expect(released[1]).toMatchObject({ driverError: { code: '57P01' } });
    expect(await inserted([numbered('c')])).toEqual(['c']);
    expect(await stored()).toEqual(['c']);
  });

  it('insertMany rejects a result if its connection is still in a transaction', async () => {
    next((client) => ({
      queryAfter: async (...statements) => {
        const open = client as Connection & { query(sql: string): Promise<object> };
        await open.query('BEGIN');
        return client.queryAfter(...statements);
      },
    }));
    await expect(inserted([numbered('a')])).rejects.toThrow('have not committed');
    expect(await stored()).toEqual([]);
  });
});

describe('insertMany where it is not possible', () => {
  afterEach(async () => expect(await stored()).toEqual([]));

  it('insertMany inserts nothing within inOneTransaction, and returns null', async () => {
    expect(await database.inOneTransaction(() => inserted([numbered('a')]))).toBeNull();
  });

  it('insertMany inserts nothing on Citus, and returns null', async () => {
    expect(await inserted([numbered('a')], new Database(dataSource, null, null, true))).toBeNull();
  });

  it('insertMany inserts nothing on connections of an app, which cannot send two statements together', async () => {
    const own = await connected({});
    try {
      expect(await inserted([numbered('a')], new Database(own))).toBeNull();
    } finally {
      await own.destroy();
    }
  });
});
