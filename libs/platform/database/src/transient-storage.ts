import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * An AsyncLocalStorage that is enabled only while work runs with a store. Before Node 24, each enabled storage makes
 * every new promise of the process slower.
 */
export class TransientStorage<T> {
  private readonly storage = new AsyncLocalStorage<T>();
  private running = 0;

  getStore(): T | undefined {
    return this.storage.getStore();
  }

  /** Runs `work` with a store. */
  async run<R>(store: T, work: () => Promise<R>): Promise<R> {
    this.running++;
    try {
      return await this.storage.run(store, work);
    } finally {
      this.running--;
      // Wait for the last work, because running work would lose its store.
      if (this.running === 0) this.storage.disable();
    }
  }

  /** Runs `work` without a store. */
  exit<R>(work: () => R): R {
    return this.storage.exit(work);
  }
}
