import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { randomId } from '@passwright/core';
import { migratedDatabase, testDatabase } from '@passwright/testing';
import { DataSource, type EntityManager } from 'typeorm';
import { enabledStorages } from './closable-storage.fixtures.js';
import { DatabaseModule } from './database.module.js';
import { Database } from './database.js';
import { isForeignKeyViolation, isUniqueViolation } from './unique-violation.js';

let dataSource: DataSource;
let database: Database;
beforeAll(async () => {
  const { url } = await testDatabase();
  dataSource = await new DataSource({ type: 'postgres', url, poolSize: 5 }).initialize();
  database = new Database(dataSource);
});
afterAll(() => Promise.all([database.onModuleDestroy(), dataSource.destroy()]));

const newId = () => `acc_${randomId()}`;

async function insert(tx: EntityManager, id: string): Promise<void> {
  await tx.query(`INSERT INTO account (id, name, created_at) VALUES ($1, 'x', now())`, [id]);
}

async function exists(id: string, manager = database.reads): Promise<boolean> {
  return (await manager.query<unknown[]>('SELECT 1 FROM account WHERE id = $1', [id])).length === 1;
}

describe('proveWritable', () => {
  it('proveWritable succeeds while requests hold every connection of the pool', async () => {
    const runners = Array.from({ length: 5 }, () => dataSource.createQueryRunner());
    await Promise.all(runners.map((runner) => runner.connect()));
    await database.proveWritable();
    await Promise.all(runners.map((runner) => runner.release()));
  });

  it('proveWritable succeeds even if its idle connection was cut', async () => {
    const { rows } = (await probePid()) as { rows: [{ pid: number }] };
    await database.reads.query('SELECT pg_terminate_backend($1)', [rows[0].pid]);
    await database.proveWritable();
  });

  it('proveWritable succeeds on a connection of the pool if the server has none left for a probe', async () => {
    const { url, drop } = await migratedDatabase();
    const admin = await new DataSource({ type: 'postgres', url, poolSize: 1 }).initialize();
    // The limit does not apply to superusers.
    const role = `limited_${randomId().toLowerCase()}`;
    await admin.query(`CREATE ROLE "${role}" LOGIN PASSWORD 'known' CONNECTION LIMIT 1`);
    await admin.query(`GRANT ALL ON ALL TABLES IN SCHEMA public TO "${role}"`);
    const own = Object.assign(new URL(url), { username: role, password: 'known' }).href;
    const ownSource = await new DataSource({ type: 'postgres', url: own, poolSize: 1 }).initialize();
    const limited = new Database(ownSource);
    await expect(limited.proveWritable()).resolves.toBeUndefined();
    await limited.onModuleDestroy();
    await ownSource.destroy();
    await admin.query(`DROP OWNED BY "${role}"`);
    await admin.query(`DROP ROLE "${role}"`);
    await admin.destroy();
    await drop();
  });

  const probePid = async () => {
    await database.proveWritable();
    return (database as unknown as { probes: { pool: { query(sql: string): unknown } } }).probes.pool.query(
      'SELECT pg_backend_pid() AS pid',
    );
  };
});

describe('transactionOf', () => {
  it('transactionOf delays a new incarnation until its work has ended, and then runs no work for the old one', async () => {
    const own = await migratedDatabase();
    const ownSource = await new DataSource({ type: 'postgres', url: own.url, poolSize: 3 }).initialize();
    const ownDatabase = new Database(ownSource);
    const order: string[] = [];
    let beginning: Promise<void> | undefined;
    await ownDatabase.transactionOf('', async () => {
      beginning = ownDatabase.transaction(async (other) => {
        await other.query('SELECT FROM incarnation FOR UPDATE');
        await other.query("UPDATE incarnation SET id = 'second'");
        order.push('begun');
      });
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      while ((await ownDatabase.reads.query<unknown[]>(waiting)).length === 0);
      order.push('written');
    });
    await beginning;
    expect(order).toEqual(['written', 'begun']);
    const write = jest.fn(() => Promise.resolve(1));
    expect(await ownDatabase.transactionOf('', write)).toBeNull();
    expect(write).not.toHaveBeenCalled();
    expect(await ownDatabase.transactionOf('second', write)).toBe(1);
    expect(await ownDatabase.transactionOf(null, write)).toBe(1);
    await ownSource.destroy();
    await own.drop();
  });
});

describe('Database.transaction', () => {
  it('a transaction commits its writes and returns the result of its work', async () => {
    const id = newId();
    expect(await database.transaction((tx) => insert(tx, id).then(() => 7))).toBe(7);
    expect(await exists(id)).toBe(true);
  });

  it('a transaction writes nothing when its work throws', async () => {
    const id = newId();
    const work = database.transaction(async (tx) => {
      await insert(tx, id);
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(await exists(id)).toBe(false);
  });

  it('a transaction hides its writes from plain reads until it commits', async () => {
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

  it('isUniqueViolation recognises a unique violation by the name of its constraint', async () => {
    const id = newId();
    const twice = await failure(async (tx) => {
      await insert(tx, id);
      await insert(tx, id);
    });
    expect(isUniqueViolation(twice, 'account_pkey')).toBe(true);
    expect(isUniqueViolation(twice, 'other_key')).toBe(false);
    expect(isForeignKeyViolation(twice, 'account_pkey')).toBe(false);
  });

  it('isForeignKeyViolation recognises a foreign key violation, but isUniqueViolation does not', async () => {
    const orphan = await failure((tx) =>
      tx.query(
        `INSERT INTO account_member (account_id, uid, is_admin, created_at) VALUES ('nobody', 'nobody', true, now())`,
      ),
    );
    const constraint = (orphan as { driverError: { constraint: string } }).driverError.constraint;
    expect(isForeignKeyViolation(orphan, constraint)).toBe(true);
    expect(isUniqueViolation(orphan, constraint)).toBe(false);
  });

  it('isUniqueViolation and isForeignKeyViolation recognise violations in partitions by the columns of the key', async () => {
    await database.transaction((tx) => tx.query(partitionedTables));
    const write = (sql: string) => failure((tx) => tx.query(sql));
    const [parent, child] = [
      ['account_id', 'id'],
      ['account_id', 'parent_id'],
    ];

    const twice = await write("INSERT INTO parent VALUES ('a', 1, 'y)=(')");
    expect(isUniqueViolation(twice, 'parent_pkey')).toBe(false);
    expect(isUniqueViolation(twice, 'parent_pkey', parent)).toBe(true);
    expect(isUniqueViolation(twice, 'parent_pkey', child)).toBe(false);
    expect(isForeignKeyViolation(twice, 'parent_pkey', parent)).toBe(false);
    const sameName = await write("INSERT INTO parent VALUES ('a', 2, 'X)=(')");
    expect(isUniqueViolation(sameName, 'parent_name_key', ['account_id', 'lower(name)'])).toBe(true);
    expect(isUniqueViolation(sameName, 'parent_pkey', parent)).toBe(false);
    const orphan = await write("INSERT INTO child VALUES ('a', 3)");
    expect(isForeignKeyViolation(orphan, 'child_fkey', child)).toBe(true);
    const referenced = await write("DELETE FROM parent WHERE account_id = 'a'");
    expect(isForeignKeyViolation(referenced, 'child_fkey', parent)).toBe(true);
    expect(isForeignKeyViolation(referenced, 'child_fkey', child)).toBe(false);
  });

  const partitionedTables = `
    CREATE TABLE parent (account_id text, id int, name text, PRIMARY KEY (account_id, id)) PARTITION BY HASH (account_id);
    CREATE UNIQUE INDEX parent_name_key ON parent (account_id, lower(name));
    CREATE TABLE parent_0 PARTITION OF parent FOR VALUES WITH (MODULUS 1, REMAINDER 0);
    CREATE TABLE child (account_id text, parent_id int) PARTITION BY HASH (account_id);
    CREATE TABLE child_0 PARTITION OF child FOR VALUES WITH (MODULUS 1, REMAINDER 0);
    ALTER TABLE child ADD CONSTRAINT child_fkey FOREIGN KEY (account_id, parent_id) REFERENCES parent;
    INSERT INTO parent VALUES ('a', 1, 'x)=(');
    INSERT INTO child VALUES ('a', 1)`;

  it('isUniqueViolation returns false for other errors', () => {
    expect(isUniqueViolation(new Error('account_pkey'), 'account_pkey')).toBe(false);
    expect(isUniqueViolation(null, 'account_pkey')).toBe(false);
  });
});

describe('a proof that the database accepts writes', () => {
  /** Runs `work` with a setting that applies to the connections it opens. */
  const during = async (setting: string, value: string, work: (sql: Database) => Promise<void>) => {
    const own = await migratedDatabase();
    const name = new URL(own.url).pathname.slice(1);
    await dataSource.query(`ALTER DATABASE ${name} SET ${setting} = ${value}`);
    const changed = await new DataSource({ type: 'postgres', url: own.url, poolSize: 1 }).initialize();
    try {
      await work(new Database(changed));
    } finally {
      await changed.destroy();
      await own.drop();
    }
  };

  it('proveWritable succeeds and leaves the database unchanged', async () => {
    const look = () => dataSource.query('SELECT id, server, timeline, beat FROM incarnation');
    const before = await look();
    await database.proveWritable();
    expect(await look()).toEqual(before);
  });

  it.each(['LOCK TABLE incarnation', 'SELECT FROM incarnation FOR UPDATE'])(
    'proveWritable succeeds while another transaction holds the lock of %s',
    async (lock) => {
      await dataSource.transaction(async (tx) => {
        await tx.query(lock);
        await database.proveWritable();
      });
    },
  );

  it('proveWritable on Citus does not wait for a lock on the table `incarnation`, which every server has', async () => {
    const distributed = new Database(dataSource, null, null, true);
    await dataSource.transaction(async (tx) => {
      await tx.query('SELECT FROM incarnation FOR UPDATE');
      await distributed.proveWritable();
    });
    await distributed.onModuleDestroy();
  });

  it('proveWritable fails when the connection has ended', async () => {
    const ended = await new DataSource({ ...dataSource.options }).initialize();
    await ended.destroy();
    await expect(new Database(ended).proveWritable()).rejects.toThrow();
  });

  it('proveWritable fails on a read-only server', () =>
    during('default_transaction_read_only', 'on', async (readOnly) => {
      await expect(readOnly.proveWritable()).rejects.toMatchObject({ code: '25006' });
    }));

  it('proveWritable fails on a server whose disk is full', () =>
    during('temp_file_limit', '0', async (full) => {
      await expect(full.proveWritable()).rejects.toMatchObject({ code: '53400' });
    }));
});

describe('the storage of transactions', () => {
  it('an app that has ended leaves no enabled storage behind', async () => {
    const { url } = await testDatabase();

    @Module({ imports: [DatabaseModule.forRoot({ url, poolSize: 1 })] })
    class App {}

    const before = enabledStorages();
    const app = await NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
    const ended = app.get(Database);
    await ended.inOneTransaction(() => ended.transaction((tx) => tx.query('SELECT')));
    await app.close();
    expect(enabledStorages()).toBe(before);
  });

  it('a transaction that still runs when the app ends stays one transaction', async () => {
    const [kept, undone] = [newId(), newId()];
    const ending = new Database(dataSource);
    await ending.inOneTransaction(async () => {
      await ending.transaction((tx) => insert(tx, kept));
      ending.onApplicationShutdown();
      expect([ending.isInTransaction, await exists(kept, ending.reads)]).toEqual([true, true]);
    });
    const failing = ending.inOneTransaction(async () => {
      await ending.transaction((tx) => insert(tx, undone));
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect([await exists(kept), await exists(undone)]).toEqual([true, false]);
  });
});

describe('Database.eventually', () => {
  it('a background transaction that a job starts during shutdown is committed', async () => {
    const id = newId();
    const { url } = await testDatabase();

    @Injectable()
    class StoppedJob {
      constructor(private readonly db: Database) {}

      beforeApplicationShutdown(): void {
        this.db.eventually((tx) => insert(tx, id));
      }
    }

    @Module({ imports: [DatabaseModule.forRoot({ url, poolSize: 1 })], providers: [StoppedJob] })
    class App {}

    const app = await NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
    await app.close();
    expect(await exists(id)).toBe(true);
  });
});
