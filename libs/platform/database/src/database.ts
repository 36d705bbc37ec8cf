import { AsyncLocalStorage } from 'node:async_hooks';
import { type BeforeApplicationShutdown, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Pool as PgPool, type PoolConfig } from 'pg';
import {
  DataSource,
  type EntityManager,
  type ObjectLiteral,
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
} from 'typeorm';
import { databaseTime } from './clock/database-time.js';
import { BackgroundTransactions } from './background-transactions.js';
import type { Statement } from './joined-query.js';
import { LazyTransaction } from './lazy-transaction.js';
import { isConnectionLost, isDatabaseUnavailable } from './unavailable.js';
import { repeatedOnConflict } from './repeated.js';
import { type EntityClass, RowStatements } from './row-statements.js';

/** What is used of pg's connections. */
interface Queries {
  query(query: { name: string; text: string; values: readonly unknown[] } | string): Promise<{ rows: unknown[] }>;
}

/** And of its pool, which TypeORM calls `master`. */
interface Pool extends Queries {
  readonly options: PoolConfig;
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/**
 * One round trip and one transaction: 64 kB is the least that Postgres takes. When the probe is the only write since the last
 * beat of the incarnation, it counts as part of that beat.
 */
const probeSql = `
  SET LOCAL work_mem = '64kB';
  UPDATE incarnation SET beaten_in = CASE WHEN pg_current_xact_id()::text::numeric = beaten_in::text::numeric + 1
    THEN pg_current_xact_id() ELSE beaten_in END;
  SELECT count(*) FROM generate_series(1, 10000)`;

/** Connections of this process, and work that waits for one. */
export interface PoolUse {
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

/**
 * Runs a statement of a transaction whose result nobody needs: on our connections it is sent with the transaction's next
 * statement, which fails with it.
 */
export async function runWithNext(tx: EntityManager, sql: string, values: readonly unknown[]): Promise<void> {
  if (!tx.queryRunner) throw new Error('A statement that waits for the next one needs a transaction');
  const connection = (await tx.queryRunner.connect()) as { query(statement: Statement): Promise<unknown> };
  await connection.query({ text: sql, values: [...values], held: true });
}

/**
 * The way to the database for repositories and services.
 *
 * Everything done inside `inOneTransaction` commits or rolls back together: transactions opened within it become
 * savepoints of it, and plain reads see its writes. That is how an answer stored under an idempotency key commits with
 * the change it reports.
 */
@Injectable()
export class Database implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly ambient = new AsyncLocalStorage<LazyTransaction>();

  private readonly pool: Pool;
  private probes: PgPool | null = null;
  private readonly background = new BackgroundTransactions();
  private readonly statements: RowStatements;

  constructor(private readonly dataSource: DataSource) {
    this.pool = (dataSource.driver as DataSource['driver'] & { master: Pool }).master;
    this.statements = new RowStatements(dataSource);
  }

  /** For plain reads. Writes and locks take the `tx` of `transaction`. */
  get reads(): EntityManager {
    return this.ambient.getStore()?.manager ?? this.dataSource.manager;
  }

  /**
   * A look-up of every request, for which TypeORM's mapping and the planning of the query cost more than running it:
   * plain SQL that each connection parses and plans once, under `name`.
   * @param name unique among all look-ups. @returns rows with their column names
   */
  async lookUp<Row>(name: string, sql: string, values: readonly unknown[]): Promise<Row[]> {
    const ambient = this.ambient.getStore()?.manager;
    if (ambient) return ambient.query<Row[]>(sql, [...values]);
    const query = { name, text: sql, values };
    // Connections that a restart of the server has cut off are found out by their next use; the read is then made on another.
    const { rows } = await this.pool.query(query).catch((error: unknown) => {
      if (!isConnectionLost(error)) throw error;
      return this.pool.query(query);
    });
    return rows as Row[];
  }

  /**
   * A statement of a transaction that is made again and again, and costs about as much to plan as to run: as `lookUp`,
   * each connection plans it once.
   * @param name unique among all such statements and look-ups. @returns rows with their column names
   */
  async prepared<Row>(tx: EntityManager, name: string, sql: string, values: readonly unknown[]): Promise<Row[]> {
    const runner = tx.queryRunner;
    if (!runner) throw new Error('A prepared statement needs a transaction');
    // Its connection may be another's by now.
    if (runner.isReleased) throw new QueryRunnerAlreadyReleasedError();
    const connection = (await runner.connect()) as Queries;
    const { rows } = await connection.query({ name, text: sql, values });
    return rows as Row[];
  }

  /**
   * The row that has these values in these columns, which are to be a key; planned once, as `lookUp`. Only for entities
   * whose columns need no conversion.
   * @param tx reads within this transaction
   */
  async findByKey<Entity extends ObjectLiteral>(
    entity: EntityClass<Entity>,
    key: Partial<Entity>,
    tx?: EntityManager,
  ): Promise<Entity | null> {
    const { name, sql } = this.statements.select(entity, Object.keys(key));
    const values: unknown[] = Object.values(key);
    const [row] = tx ? await this.prepared(tx, name, sql, values) : await this.lookUp(name, sql, values);
    return row ? Object.assign(new entity(), row) : null;
  }

  /**
   * Inserts one row by a statement that each connection plans once. What is undefined in it takes the column's default.
   * @throws QueryFailedError
   */
  async insert<Entity extends ObjectLiteral>(
    tx: EntityManager,
    entity: EntityClass<Entity>,
    row: Entity,
  ): Promise<void> {
    const properties = Object.keys(row).filter((property) => row[property] !== undefined);
    const { name, sql } = this.statements.insert(entity, properties);
    const values = this.statements.values(entity, properties, row);
    await this.prepared(tx, name, sql, values).catch((error: Error) => {
      throw new QueryFailedError(sql, values, error);
    });
  }

  /**
   * Inserts rows that all have the properties of the first one, by one statement that each connection plans once.
   * @throws QueryFailedError
   */
  async insertMany<Entity extends ObjectLiteral>(
    tx: EntityManager,
    entity: EntityClass<Entity>,
    rows: readonly Entity[],
    returning: keyof Entity & string,
    onConflict: '' | 'ON CONFLICT DO NOTHING' = '',
  ): Promise<unknown[]> {
    const [first] = rows;
    if (!first) return [];
    const properties = Object.keys(first).filter((property) => first[property] !== undefined);
    const { name, sql } = this.statements.insertMany(entity, properties, onConflict, returning);
    const values = [this.statements.rowsJson(entity, properties, rows)];
    const inserted = await this.prepared<{ value: unknown }>(tx, name, sql, values).catch((error: Error) => {
      throw new QueryFailedError(sql, values, error);
    });
    return inserted.map(({ value }) => value);
  }

  /**
   * One use case, one transaction; rolled back when `work` throws. No network, signing or storage call inside: `work` runs
   * again when Postgres ends the transaction in a deadlock or a serialization failure.
   */
  transaction<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return repeatedOnConflict(() =>
      this.ambient.getStore()
        ? this.inOneTransaction(async (begin) => work(await begin()))
        : this.dataSource.transaction(work),
    );
  }

  /**
   * Runs `work` in a transaction of its own that the caller does not wait for, and repeats it while the database is away. It
   * is lost when this process ends before the database is back.
   */
  eventually(work: (tx: EntityManager) => Promise<unknown>): void {
    this.ambient.exit(() => this.background.run(() => this.transaction(work)));
  }

  /**
   * Runs `work` with every transaction inside it joined into one, which commits when `work` returns and rolls back when it
   * throws. It opens, and takes a connection, with the first of them or with `begin`; reads before that are ordinary ones.
   * Transactions inside that are asked for at once take turns, and one asked for after the end is refused. One
   * `inOneTransaction` inside another is a savepoint that opens as late.
   * @param first what the transaction begins with, through its `tx` alone; when it throws, all of it fails with that
   */
  inOneTransaction<T>(
    work: (begin: () => Promise<EntityManager>) => Promise<T>,
    first: (tx: EntityManager) => Promise<void> = () => Promise.resolve(),
  ): Promise<T> {
    const joined = new LazyTransaction(this.dataSource, this.ambient.getStore(), first);
    return joined.run(() => this.ambient.run(joined, () => work(() => joined.begin())));
  }

  /** How much of the connections is in use at this moment. */
  get poolUse(): PoolUse {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  /** The server's time, in milliseconds. */
  now(): Promise<number> {
    return databaseTime(this.pool);
  }

  /**
   * Writes for real, and changes nothing else: a row as it is, and a sort that needs the disk. Fails while the server is away,
   * read-only or full. An UPDATE alone finds room in its page on a full disk.
   */
  proveWritable(): Promise<void> {
    return this.probe(probeSql);
  }

  /** Fails while the server is away. */
  proveReachable(): Promise<void> {
    return this.probe('SELECT');
  }

  private async probe(sql: string): Promise<void> {
    const probes = this.openProbes();
    try {
      await probes.query(sql);
    } catch (error) {
      // A connection that was cut while it was idle says nothing about the server.
      if (!isDatabaseUnavailable(error)) throw error;
      await probes.query(sql);
    }
  }

  /** The probe has a connection of its own: requests that wait for the others do not mean that the server is away. */
  private openProbes(): PgPool {
    if (!this.probes) {
      this.probes = new PgPool({ ...this.pool.options, max: 1 });
      this.probes.on('error', () => undefined);
    }
    return this.probes;
  }

  async onModuleDestroy(): Promise<void> {
    await this.probes?.end();
  }

  /** Jobs run until this hook: what one leaves to `eventually` as it is stopped is written before the connection ends. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.background.end();
  }
}
