/**
 * Runs the work of each key one after the other, in the order of arrival. Requests that compete for one key wait here rather
 * than in the database, where each would hold a connection of the pool.
 */
export class SameKeyQueue {
  private readonly last = new Map<string, Promise<unknown>>();

  /** @returns what `work` returns, once all earlier work for the key has ended, well or badly */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.last.get(key) ?? Promise.resolve()).then(work, work);
    this.last.set(key, turn);
    const leave = () => {
      if (this.last.get(key) === turn) this.last.delete(key);
    };
    turn.then(leave, leave);
    return turn;
  }

  /** How many keys are being worked on. */
  get size(): number {
    return this.last.size;
  }
}
