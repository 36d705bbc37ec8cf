import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  Optional,
} from '@nestjs/common';
import { inSpan } from '@passwright/core';
import { DataSource, type EntityManager, type ObjectLiteral } from 'typeorm';
import { AfterCommit } from './after-commit.js';
import { databaseTime } from './clock/database-time.js';
import { BackgroundTransactions } from './background-transactions.js';
import { ClosableStorage } from './closable-storage.js';
import { lockIncarnation } from './statements/lock-incarnation.js';
import { ImplicitTransactions } from './implicit-transactions.js';
import { LazyTransaction } from './lazy-transaction.js';
import { Probes } from './probes.js';
import { connectionOf, runWithNext } from './connections/run-with-next.js';
import { SharedLookUps } from './connections/shared-look-ups.js';
import type { Pool, PoolUse } from './pool-types.js';
import { Replica } from './replica/replica.js';
import { asQueryFailed } from './statements/failed-query.js';
import { repeatedOnConflict } from './transaction-retries.js';
import { type EntityClass, RowStatements } from './statements/row-statements.js';

/**
 * Gives repositories and services access to the database. Everything inside `inOneTransaction` commits or rolls back
 * together: nested transactions become savepoints, and plain reads see their writes.
 */
@Injectable()
export class Database implements OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly ambient = new ClosableStorage<LazyTransaction>();
  private readonly pool: Pool;
  private readonly probes: Probes;
  private readonly lookUps: SharedLookUps;
  private readonly gatheredLookUps: SharedLookUps;
  private readonly background = new BackgroundTransactions();
  private readonly statements: RowStatements;
  private readonly commits: AfterCommit;
  /** Transactions that consist of one statement. */
  readonly implicit: ImplicitTransactions;

  /** The id of the database's incarnation, which changes at a restore; null without `IncarnationModule`. */
  incarnation: string | null = null;

  constructor(
    private readonly dataSource: DataSource,
    @Optional() @Inject(Replica) private readonly replica: Replica | null = null,
    /** The schema of the tables; null if the connection's own search_path decides. */
    @Optional() readonly schema: string | null = null,
    /** True if Citus distributes the tables: then a statement that locks or changes rows must name one account. */
    @Optional() readonly isDistributed: boolean = false,
  ) {
    this.pool = (dataSource.driver as DataSource['driver'] & { master: Pool }).master;
    this.probes = new Probes(this.pool, isDistributed);
    this.lookUps = new SharedLookUps(this.pool);
    this.gatheredLookUps = new SharedLookUps(this.pool, setImmediate);
    this.statements = new RowStatements(dataSource);
    this.implicit = new ImplicitTransactions(this.pool, this.statements, this);
    this.commits = new AfterCommit(dataSource, (step) => this.ambient.exit(step));
  }

  /** True within `inOneTransaction`. */
  get isInTransaction(): boolean {
    return this.ambient.getStore() !== undefined;
  }

  /** The manager for plain reads. For writes and locks, use the `tx` of `transaction`. */
  get reads(): EntityManager {
    return this.ambient.getStore()?.manager ?? this.replica?.runner?.manager ?? this.dataSource.manager;
  }

  /**
   * Runs reads on the standby if it shows everything committed before this call, and otherwise like other reads. `work`
   * runs again if the standby fails. It must not return tags or cursors of changes.
   */
  onReplica<T>(work: () => Promise<T>): Promise<T> {
    return this.replica && !this.ambient.getStore() ? this.replica.read(work) : work();
  }

  /**
   * Runs a frequent read as plain SQL that each connection parses and plans once, under `name`. Simultaneous look-ups
   * of a name share a round trip.
   * @param name unique among all look-ups.
   * @param gathers waits for all requests of this turn of the event loop, so that more of them share a round trip
   * @returns rows keyed by column name
   */
  async lookUp<Row>(name: string, sql: string, values: readonly unknown[], gathers = false): Promise<Row[]> {
    const ambient = this.ambient.getStore()?.manager;
    if (ambient) return ambient.query<Row[]>(sql, [...values]);
    if (this.replica?.runner) return this.prepared(this.replica.runner.manager, name, sql, values);
    const { rows } = await (gathers ? this.gatheredLookUps : this.lookUps).run({ name, text: sql, values });
    return rows as Row[];
  }

  /**
   * Runs a statement of a transaction that each connection plans once, like `lookUp`.
   * @param name unique among all such statements and look-ups.
   * @param gathers shares a round trip with the other statements that `tx` begins in this turn of the event loop.
   * @returns rows keyed by column name
   */
  async prepared<Row>(
    tx: EntityManager,
    name: string,
    sql: string,
    values: readonly unknown[],
    gathers = false,
  ): Promise<Row[]> {
    const connection = await connectionOf(tx);
    const { rows } = await connection.query({ name, text: sql, values: values as unknown[], gathers });
    return rows as Row[];
  }

  /**
   * Returns the list of all columns of an entity for the SQL of `lookUp` and `prepared`, each named by its property.
   * @param alias the name of the table in that statement. @param account an SQL expression for the account in
   * subqueries of virtual columns. Default: the row's account. @param prefix begins each name
   */
  columnsOf(entity: EntityClass<ObjectLiteral>, alias: string, account?: string, prefix = ''): string {
    return this.statements.columns(entity, alias, account, prefix);
  }

  /**
   * Finds the row whose key columns have these values. Planned once, like `lookUp`. Works only for entities whose
   * columns need no conversion.
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
   * Inserts one row with a statement that each connection plans once. Undefined properties get the column's default.
   * @throws QueryFailedError
   */
  async insert<Entity extends ObjectLiteral>(
    tx: EntityManager,
    entity: EntityClass<Entity>,
    row: Entity,
  ): Promise<void> {
    const { name, sql, values } = this.statements.insertion(entity, row);
    await this.prepared(tx, name, sql, values).catch(asQueryFailed(sql, values));
  }

  /**
   * Works like `insert` for the last statement of a transaction. The row is sent together with the COMMIT or the end of
   * the savepoint, so errors come from `transaction`.
   */
  async insertLast<Entity extends ObjectLiteral>(
    tx: EntityManager,
    entity: EntityClass<Entity>,
    row: Entity,
  ): Promise<void> {
    const { name, sql, values } = this.statements.insertion(entity, row);
    await runWithNext(tx, sql, values, name);
  }

  /**
   * Updates the row with these key columns, with a statement that each connection plans once. Undefined properties are
   * left alone.
   * @param withNext sends the changes together with the next statement or the end of `tx`, which fails if they fail.
   *   @throws QueryFailedError
   */
  async update<Entity extends ObjectLiteral>(
    tx: EntityManager,
    entity: EntityClass<Entity>,
    key: Partial<Entity>,
    changes: Partial<Entity>,
    withNext = false,
  ): Promise<void> {
    const { name, sql, values } = this.statements.change(entity, key, changes);
    if (withNext) return runWithNext(tx, sql, values, name);
    await this.prepared(tx, name, sql, values).catch(asQueryFailed(sql, values));
  }

  /**
   * Inserts rows with one statement that each connection plans once. All rows must have the properties of the first.
   * @throws QueryFailedError
   */
  async insertMany<Entity extends ObjectLiteral>(
    tx: EntityManager,
    entity: EntityClass<Entity>,
    rows: readonly Entity[],
    returning: keyof Entity & string,
    onConflict: '' | 'ON CONFLICT DO NOTHING' = '',
  ): Promise<unknown[]> {
    const [first, ...others] = rows;
    if (!first) return [];
    const { name, sql, values } = this.statements.insertionOfMany(entity, [first, ...others], onConflict, returning);
    const inserted = await this.prepared<{ value: unknown }>(tx, name, sql, values).catch(asQueryFailed(sql, values));
    return inserted.map(({ value }) => value);
  }

  /**
   * Runs one use case in one transaction, and rolls back when `work` throws. `work` must not use the network, a signer
   * or storage, because it runs again after a deadlock, a serialization failure, or a name that a pooler rejects. Within
   * `inOneTransaction`, a rejected name fails the joined transaction.
   */
  transaction<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    const attempt = () =>
      this.isInTransaction
        ? this.inOneTransaction(async (begin) => work(await begin()))
        : this.commits.transaction(work);
    return this.offReplica(() =>
      inSpan('transaction', { 'db.system.name': 'postgresql' }, () =>
        repeatedOnConflict(attempt, this.isInTransaction),
      ),
    );
  }

  /**
   * Runs `work` like `transaction`, but not after a restore. Use it to write information from earlier transactions,
   * which a restore may have undone.
   * @param incarnation the value of `incarnation` when the information was read.
   * @returns null, without running `work`, if the database was restored or promoted since
   */
  transactionOf<T>(incarnation: string | null, work: (tx: EntityManager) => Promise<T>): Promise<T | null> {
    return this.transaction(async (tx) => {
      const isCurrent = incarnation === null || (await lockIncarnation(tx, incarnation));
      return isCurrent ? work(tx) : null;
    });
  }

  /** Runs `step` once the outermost transaction around `tx` has committed, before `transaction` returns. */
  afterCommit(tx: EntityManager, step: () => Promise<void>): void {
    this.commits.add(tx, step);
  }

  /**
   * Runs `work` in a separate transaction that the caller does not wait for. Repeats it while the database is
   * unavailable. The work is lost if this process ends before the database is back.
   */
  eventually(work: (tx: EntityManager) => Promise<unknown>): void {
    this.ambient.exit(() => this.background.run(() => this.transaction(work)));
  }

  /**
   * Runs `work` with all of its transactions joined into one, which commits when `work` returns and rolls back when it
   * throws. Takes a connection at the first inner transaction or call of `begin`; earlier reads run outside.
   * Simultaneous inner transactions run one after the other. A nested `inOneTransaction` is a savepoint.
   * @param first runs at the start of the transaction and uses only its `tx`; if it throws, the whole call fails
   */
  inOneTransaction<T>(
    work: (begin: () => Promise<EntityManager>) => Promise<T>,
    first: (tx: EntityManager) => Promise<void> = () => Promise.resolve(),
  ): Promise<T> {
    const joined = new LazyTransaction(this.commits, this.ambient.getStore(), first);
    return this.offReplica(() => joined.run(() => this.ambient.run(joined, () => work(() => joined.begin()))));
  }

  /** Runs `work` outside of the current read on the standby, whose connection shows no later changes. */
  private offReplica<T>(work: () => T): T {
    return this.replica?.runner ? this.replica.leave(work) : work();
  }

  /** Returns how many connections are in use now. */
  get poolUse(): PoolUse {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  /** Returns the server's time, in milliseconds. */
  now(): Promise<number> {
    return databaseTime(this.pool);
  }

  /** Fails while the server is unavailable, read-only or full. */
  proveWritable(): Promise<void> {
    return this.probes.proveWritable();
  }

  /** Fails while the server is unavailable. */
  proveReachable(): Promise<void> {
    return this.probes.proveReachable();
  }

  async onModuleDestroy(): Promise<void> {
    await this.probes.end();
    await this.replica?.close();
  }

  /** Waits before the connections close, because stopping jobs may still call `eventually`. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.background.end();
  }

  /** Called after the HTTP server has closed. Transactions that still run keep their context until they end. */
  onApplicationShutdown(): void {
    this.ambient.close();
  }
}
