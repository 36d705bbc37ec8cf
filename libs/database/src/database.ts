import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** What is used of pg's pool, which TypeORM calls `master`. */
interface Pool {
  query(query: { name: string; text: string; values: readonly unknown[] }): Promise<{ rows: unknown[] }>;
}

/**
 * The way to the database for repositories and services.
 *
 * Everything done inside `inOneTransaction` commits or rolls back together: transactions opened within it become
 * savepoints of it and plain reads see its writes. That is how an answer stored under an idempotency key commits with
 * the change it reports.
 */
@Injectable()
export class Database {
  private readonly ambient = new AsyncLocalStorage<EntityManager>();

  private readonly pool: Pool;

  constructor(private readonly dataSource: DataSource) {
    this.pool = (dataSource.driver as DataSource['driver'] & { master: Pool }).master;
  }

  /** For plain reads. Writes and locks take the `tx` of `transaction`. */
  get reads(): EntityManager {
    return this.ambient.getStore() ?? this.dataSource.manager;
  }

  /**
   * A look-up of every request, for which TypeORM's mapping and the planning of the query cost more than running it:
   * plain SQL that each connection parses and plans once, under `name`.
   * @param name unique among all look-ups. @returns rows with their column names
   */
  async lookUp<Row>(name: string, sql: string, values: readonly unknown[]): Promise<Row[]> {
    const ambient = this.ambient.getStore();
    if (ambient) return ambient.query<Row[]>(sql, [...values]);
    const { rows } = await this.pool.query({ name, text: sql, values });
    return rows as Row[];
  }

  /** One use case, one transaction; rolled back when `work` throws. No network, signing or storage call inside. */
  transaction<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.reads.transaction(work);
  }

  /** Runs `work` with every transaction and read inside it joined into one. */
  inOneTransaction<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction((tx) => this.ambient.run(tx, () => work(tx)));
  }

  /** Whether the server answers. */
  async ping(): Promise<void> {
    await this.dataSource.query('SELECT 1');
  }
}
