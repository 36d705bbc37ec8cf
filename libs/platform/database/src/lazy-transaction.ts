import type { EntityManager } from 'typeorm';

type Work<T> = (tx: EntityManager) => Promise<T>;

/** Runs work in a transaction or a savepoint of its own, which ends with it. */
interface Transactions {
  transaction<T>(work: Work<T>): Promise<T>;
}

/** What rolls back the transaction whose work has failed; nobody sees it. */
class RolledBack extends Error {}

/**
 * A transaction that opens when it is first needed and stays open until its work ends; inside of another one, a savepoint
 * of that. Its own savepoints take turns: those of one connection can lie within each other, but not overlap.
 */
export class LazyTransaction implements Transactions {
  private tx: EntityManager | null = null;
  private opening: Promise<EntityManager> | null = null;
  private closed: Promise<unknown> = Promise.resolve();
  private lastSavepoint: Promise<unknown> = Promise.resolve();
  private isOver = false;
  private end: (outcome: 'commit' | 'rollback') => void = () => undefined;
  private readonly outcome = new Promise<'commit' | 'rollback'>((resolve) => (this.end = resolve));

  /** @param first runs in the transaction before everything else; when it throws, so does everything that needs it */
  constructor(
    private readonly database: Transactions,
    private readonly around: LazyTransaction | undefined,
    private readonly first: Work<void>,
  ) {}

  /** What sees the writes made so far; null while there can be none. */
  get manager(): EntityManager | null {
    return this.tx ?? this.around?.manager ?? null;
  }

  /** Opens the transaction unless it is open. @throws what `first` threw */
  begin(): Promise<EntityManager> {
    if (this.isOver) return Promise.reject(new Error('The transaction that this was to be a part of has ended'));
    return (this.opening ??= this.open());
  }

  /** Runs `work`; commits when it returns, and rolls back when it throws. @throws what `work` or `first` threw */
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

  /** Savepoints that nobody has waited for come to their end first: they share the connection. */
  private async finish(outcome: 'commit' | 'rollback'): Promise<void> {
    this.isOver = true;
    await this.lastSavepoint;
    this.end(outcome);
  }
}
