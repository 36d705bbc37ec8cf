import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { CommitWatch } from './connections/commit-watch.js';

type Step = () => Promise<void>;

/** Runs transactions. After each commit, runs the steps that were added during the transaction. */
export class AfterCommit {
  private readonly steps = new WeakMap<QueryRunner, Step[]>();

  /** @param outside runs a step after the transaction, outside of its context */
  constructor(
    private readonly dataSource: DataSource,
    private readonly outside: (step: Step) => Promise<void>,
  ) {}

  /**
   * Adds a step that runs after the commit. It must not throw. Does nothing in a transaction that the host app began
   * itself.
   */
  add({ queryRunner }: EntityManager, step: Step): void {
    if (queryRunner) this.steps.get(queryRunner)?.push(step);
  }

  /**
   * Runs `work` in one transaction, and then the added steps.
   * @throws the error of `work` or of the commit
   */
  async transaction<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    const steps: Step[] = [];
    const result = await this.committed((tx) => {
      if (tx.queryRunner) this.steps.set(tx.queryRunner, steps);
      return work(tx);
    });
    for (const step of steps) await this.outside(step);
    return result;
  }

  /** @throws CommitRolledBack as the cause if the server rolled back instead of committing */
  private async committed<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    const watches: CommitWatch[] = [];
    try {
      const result = await this.dataSource.transaction(async (tx) => {
        const result = await work(tx);
        const watch = await CommitWatch.of(tx);
        if (watch) watches.push(watch);
        return result;
      });
      for (const watch of watches) watch.requireCommitted();
      return result;
    } finally {
      for (const watch of watches) watch.end();
    }
  }
}
