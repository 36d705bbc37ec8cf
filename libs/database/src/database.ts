import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { LateTransaction } from './late-transaction.js';

/** What is used of pg's connections. */
interface Queries {
  query(query: { name: string; text: string; values: readonly unknown[] }): Promise<{ rows: unknown[] }>;
}

/** And of its pool, which TypeORM calls `master`. */
interface Pool extends Queries {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** Connections of this process, and work that waits for one. */
export interface PoolUse {
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

/**
 * The way to the database for repositories and services.
 *
 * Everything done inside `inOneTransaction` commits or rolls back together: transactions opened within it become
 * savepoints of it, and plain reads see its writes. That is how an answer stored under an idempotency key commits with
 * the change it reports.
 */
@Injectable()
export class Database {
  private readonly ambient = new AsyncLocalStorage<LateTransaction>();

  private readonly pool: Pool;

  constructor(private readonly dataSource: DataSource) {
    this.pool = (dataSource.driver as DataSource['driver'] & { master: Pool }).master;
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
    const { rows } = await this.pool.query({ name, text: sql, values });
    return rows as Row[];
  }

  /**
   * A statement of a transaction that is made again and again, and costs about as much to plan as to run: as `lookUp`,
   * each connection plans it once.
   * @param name unique among all such statements and look-ups. @returns rows with their column names
   */
  async prepared<Row>(tx: EntityManager, name: string, sql: string, values: readonly unknown[]): Promise<Row[]> {
    const connection = (await tx.queryRunner?.connect()) as Queries | undefined;
    if (!connection) throw new Error('A prepared statement needs a transaction');
    const { rows } = await connection.query({ name, text: sql, values });
    return rows as Row[];
  }

  /** One use case, one transaction; rolled back when `work` throws. No network, signing or storage call inside. */
  transaction<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.ambient.getStore()
      ? this.inOneTransaction(async (begin) => work(await begin()))
      : this.dataSource.transaction(work);
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
    const joined = new LateTransaction(this.dataSource, this.ambient.getStore(), first);
    return joined.run(() => this.ambient.run(joined, () => work(() => joined.begin())));
  }

  /** How much of the connections is in use at this moment. */
  get poolUse(): PoolUse {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  /** Whether the server answers. */
  async ping(): Promise<void> {
    await this.dataSource.query('SELECT 1');
  }
}
