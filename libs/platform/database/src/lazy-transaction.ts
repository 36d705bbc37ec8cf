import type { EntityManager } from 'typeorm';

type Work<T> = (tx: EntityManager) => Promise<T>;

/** Runs work in a transaction or savepoint that ends when the work ends. */
interface Transactions {
  transaction<T>(work: Work<T>): Promise<T>;
}

/** Thrown to roll a transaction back after its work has failed. Caught in this file. */
class RolledBack extends Error {}

/**
 * A transaction that opens on first use and ends with its work. Inside another transaction it is a savepoint. Its own
 * savepoints run one after the other, because savepoints of one connection cannot overlap.
 */
export class LazyTransaction implements Transactions {
  private tx: EntityManager | null = null;
  private opening: Promise<EntityManager> | null = null;
  private closed: Promise<unknown> = Promise.resolve();
  private lastSavepoint: Promise<unknown> = Promise.resolve();
  private isOver = false;
  private end: (outcome: 'commit' | 'rollback') => void = () => undefined;
  private readonly outcome = new Promise<'commit' | 'rollback'>((resolve) => (this.end = resolve));

  /**
   * @param first runs in the transaction before everything else; when it throws, every operation of the transaction
   * fails
   */
  constructor(
    private readonly database: Transactions,
    private readonly around: LazyTransaction | undefined,
    private readonly first: Work<void>,
  ) {}

  /** The manager that sees the writes so far; null before the transaction opens. */
  get manager(): EntityManager | null {
    return this.tx ?? this.around?.manager ?? null;
  }

  /** Opens the transaction unless it is open. @throws the error of `first` */
  begin(): Promise<EntityManager> {
    if (this.isOver) return Promise.reject(new Error('The transaction that this was to be a part of has ended'));
    return (this.opening ??= this.open());
  }

  /** Runs `work`; commits when it returns, and rolls back when it throws. @throws the error of `work` or `first` */
  async run<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      await this.finish('commit');
      await this.closed;
      return result;
    } catch (error) {
      await this.finish('rollback');
      await this.closed.catch(() => undefined);
      throw error;
    }
  }

  transaction<T>(work: Work<T>): Promise<T> {
    const turn = this.lastSavepoint.then(async () => (await this.begin()).transaction(work));
    this.lastSavepoint = turn.catch(() => undefined);
    return turn;
  }

  private open(): Promise<EntityManager> {
    return new Promise((resolve, reject) => {
      this.closed = (this.around ?? this.database).transaction(async (tx) => {
        await this.first(tx);
        this.tx = tx;
        resolve(tx);
        const outcome = await this.outcome;
        this.tx = null;
        if (outcome === 'rollback') throw new RolledBack();
      });
      this.closed.catch(reject);
    });
  }

  /** Waits for savepoints that the work did not await, because they use the same connection. */
  private async finish(outcome: 'commit' | 'rollback'): Promise<void> {
    this.isOver = true;
    await this.lastSavepoint;
    this.end(outcome);
  }
}
