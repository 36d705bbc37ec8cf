import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

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

  constructor(private readonly dataSource: DataSource) {}

  /** For plain reads. Writes and locks take the `tx` of `transaction`. */
  get reads(): EntityManager {
    return this.ambient.getStore() ?? this.dataSource.manager;
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
