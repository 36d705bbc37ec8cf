import { withoutSlot } from './http/request-origin.js';

/**
 * Runs the work of each key one after the other, in order of arrival. Requests for the same key wait here and not in
 * the database, where each would occupy a connection.
 */
export class SameKeyQueue {
  private readonly last = new Map<string, Promise<unknown>>();

  /**
   * Runs `work` after all earlier work for the key has ended, whether it succeeded or failed. Returns its result or
   * throws its error.
   * @param signal removes waiting work from the queue and rejects with its reason
   */
  run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const before = this.last.get(key);
    const wait = () => waitFor(before ?? Promise.resolve(), signal);
    // Give the slot back during the wait, because the earlier work may belong to a request that needs a slot.
    const turn = (before ? withoutSlot(wait) : wait()).then(work);
    const end = Promise.allSettled([before, turn]).then(() => {
      if (this.last.get(key) === end) this.last.delete(key);
    });
    this.last.set(key, end);
    return turn;
  }

  /** The number of keys with work in progress. */
  get size(): number {
    return this.last.size;
  }
}

/** Waits for earlier work to end. Rejects when the signal aborts first. */
function waitFor(before: Promise<unknown>, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal?.reason as Error);
    if (signal?.aborted) return leave();
    signal?.addEventListener('abort', leave, { once: true });
    void before.finally(() => {
      signal?.removeEventListener('abort', leave);
      resolve();
    });
  });
}
