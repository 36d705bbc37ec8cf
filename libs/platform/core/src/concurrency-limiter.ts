import type { Cancellation } from './cancellation.js';
import { NotReady, RateLimited } from './errors/wire-errors.js';
import { LongTasks } from './long-tasks.js';
import { Lane, type Waiting } from './waiting-lane.js';

const retryAfterSeconds = 5;

/** The limits of one kind of costly work. */
export interface ConcurrencyLimits {
  /** The maximum number of tasks that run at the same time. */
  readonly width: number;
  /**
   * The maximum number of running tasks of one key while other keys are active. Default: half of the slots.
   */
  readonly widthBesideOthers?: number;
  /**
   * True lets one key use all slots, instead of half of them, while no other key has asked for a slot within the last
   * two seconds.
   */
  readonly mayFill?: boolean;
  /** While it returns true and other keys are active, a key gets at most one new slot in 50 ms. */
  readonly isBusy?: () => boolean;
  /** The number of tasks of one key that may wait for a slot. */
  readonly maxWaitingPerKey: number;
  /** The number of tasks of all keys that may wait for a slot. */
  readonly maxWaiting: number;
  /** The error message for a rejected task, as a full sentence. */
  readonly rejection: string;
  /** The longest wait for a slot before the task fails with `NotReady`. Default: 30 seconds. */
  readonly maxWaitMs?: number;
  /** True if the longest wait begins anew whenever a waiting task of the same key gets a slot. */
  readonly waitsWhileKeyProgresses?: boolean;
}

const DEFAULT_MAX_WAIT_MS = 30_000;

/** A key stays active for this long after its last request for a slot. */
const ACTIVE_MS = 60_000;

/** A busy process runs the tasks of a key one at a time if another key has asked for a slot within this time. */
const BESIDE_OTHERS_MS = 2000;

/** Tasks that have run for this long are assumed to be waiting for a database or another system. */
const LONG_MS = 50;

interface Running {
  count: number;
  latestStart: number;
}

/**
 * Runs at most `width` tasks at a time. Keys, such as tenants, take turns. A key that holds n slots gets another one
 * only if n slots stay free, except with `mayFill`. Acquire resources inside the task, because a waiting task should
 * hold no resources.
 */
export class ConcurrencyLimiter {
  private free: number;
  private waitingCount = 0;
  private isScheduled = false;
  private retry: NodeJS.Timeout | null = null;
  private readonly running = new Map<string, Running>();
  /** Waiting tasks by key, with the keys in the order of their turns. */
  private readonly waiting = new Map<string, Lane>();
  /** The time at which each active key last asked for a slot, in ascending order. */
  private readonly asked = new Map<string, number>();
  /** The key that asked for a slot last, and when. `latestOther` is the last different key before it. */
  private latest = { key: '', at: -Infinity };
  private latestOther = this.latest;
  private readonly longTasks = new LongTasks((key) => this.isBesideOthers(key));

  constructor(private readonly limits: ConcurrencyLimits) {
    this.free = limits.width;
  }

  /**
   * Waits for a slot, runs the task, and returns its result.
   * @param key the account, user or address that the work is for
   * @param signal removes a waiting task from the queue and rejects with its reason
   * @throws RateLimited when too many tasks of the key wait. When too many tasks wait in total, rejects the last task
   * of the key with the most waiting tasks.
   * @throws NotReady after the maximum wait
   */
  async run<T>(key: string, task: () => Promise<T>, signal?: Cancellation): Promise<T> {
    const leave = await this.enter(key, signal);
    try {
      return await task();
    } finally {
      leave();
    }
  }

  /**
   * Runs a long task, which takes its slot itself. While other keys are active (`isBesideOthers`), the task waits for
   * the earlier long tasks of its key first.
   */
  inTurn<T>(key: string, task: () => Promise<T>, signal?: Cancellation): Promise<T> {
    return this.longTasks.run(key, task, signal);
  }

  /**
   * Takes a slot for work that the caller runs itself. Waits like `run`.
   * @param isReturning true for a task that gave its slot back during a wait; it goes before the tasks of its key that
   * have not started
   * @returns a function that gives the slot back; call it once. @throws RateLimited, NotReady
   */
  async enter(key: string, signal?: Cancellation, isReturning = false): Promise<() => void> {
    signal?.throwIfAborted();
    const release = this.enterNow(key);
    if (release) return release;
    await this.turn(key, signal, isReturning);
    return () => this.end(key);
  }

  /** Takes a slot if one is free now. @returns a function that gives the slot back; null if the task must wait */
  enterNow(key: string): (() => void) | null {
    this.noteActive(key);
    if (this.waiting.has(key) || !this.mayStart(key)) return null;
    this.start(key);
    return () => this.end(key);
  }

  /** Stops counting a key as active. Call it if the key's last task turned out to belong to another key. */
  forget(key: string): void {
    this.asked.delete(key);
  }

  private mayStart(key: string): boolean {
    const running = this.running.get(key);
    if (!running) return this.free > 0;
    const { widthBesideOthers = Infinity, mayFill = false, isBusy } = this.limits;
    if (this.free <= running.count) return this.free > 0 && mayFill && !this.isBesideOthers(key);
    const mayJoin = () =>
      performance.now() - running.latestStart >= LONG_MS || !isBusy?.() || !this.isBesideOthers(key);
    return (running.count < widthBesideOthers && mayJoin()) || this.isAlone(key);
  }

  private noteActive(key: string): void {
    const now = performance.now();
    if (this.latest.key !== key) {
      this.latestOther = this.latest;
      this.asked.delete(key);
    }
    this.asked.set(key, now);
    this.latest = { key, at: now };
  }

  /** Returns true if another key has asked for a slot within the last two seconds. */
  isBesideOthers(key: string): boolean {
    const { at } = this.latest.key === key ? this.latestOther : this.latest;
    return performance.now() - at < BESIDE_OTHERS_MS;
  }

  private isAlone(key: string): boolean {
    const since = performance.now() - ACTIVE_MS;
    for (const [other, at] of this.asked) {
      if (at >= since) break;
      this.asked.delete(other);
    }
    const hasOnly = (keys: ReadonlyMap<string, unknown>) => keys.size === (keys.has(key) ? 1 : 0);
    return [this.asked, this.running, this.waiting].every(hasOnly);
  }

  private start(key: string): void {
    this.free--;
    const count = (this.running.get(key)?.count ?? 0) + 1;
    this.running.set(key, { count, latestStart: performance.now() });
  }

  private end(key: string): void {
    this.free++;
    const running = this.running.get(key);
    if (running) running.count--;
    if (running?.count === 0) this.running.delete(key);
    this.scheduleNext();
  }

  private scheduleNext(): void {
    if (this.waitingCount === 0 || this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.startNext();
    });
  }

  /** Starts waiting tasks while slots are free, one task of each key in turn. */
  private startNext(): void {
    for (;;) {
      const key = [...this.waiting.keys()].find((each) => this.mayStart(each));
      const next = key === undefined ? undefined : this.waiting.get(key)?.next;
      if (key === undefined || !next) return this.retryLater();
      this.start(key);
      this.remove(key, next, { toLastTurn: true });
      next.start();
    }
  }

  /** Tries again soon, because `isBusy` may change while no task ends. */
  private retryLater(): void {
    if (!this.limits.isBusy || this.waitingCount === 0) return;
    this.retry ??= setTimeout(() => {
      this.retry = null;
      this.startNext();
    }, LONG_MS).unref();
  }

  private turn(key: string, signal: Cancellation | undefined, isReturning: boolean): Promise<void> {
    // The closures below keep the lane in memory, so remove each entry when its wait ends.
    const own = this.waiting.get(key) ?? new Lane();
    if (!isReturning && own.size >= this.limits.maxWaitingPerKey) throw this.rejection();
    if (!isReturning && this.waitingCount >= this.limits.maxWaiting) this.makeRoom(own.size);
    return new Promise((resolve, reject) => {
      const settled = (settle: () => void) => {
        signal?.removeEventListener('abort', onAbort);
        endLimit();
        settle();
      };
      const entry: Waiting = {
        start: () => settled(resolve),
        reject: (reason) => settled(() => reject(reason)),
      };
      const giveUp = (reason: Error) => {
        this.remove(key, entry);
        entry.reject(reason);
      };
      const onAbort = () => giveUp(signal?.reason instanceof Error ? signal.reason : new Error('The task was aborted'));
      const endLimit = this.limitWait(own, giveUp);
      own.add(entry, isReturning);
      this.waiting.set(key, own);
      this.waitingCount++;
      this.scheduleNext();
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /**
   * Rejects a task that has waited too long.
   * @returns a function that cancels this limit
   */
  private limitWait(lane: Lane, giveUp: (reason: Error) => void): () => void {
    const { maxWaitMs = DEFAULT_MAX_WAIT_MS, waitsWhileKeyProgresses = false } = this.limits;
    const late = () => {
      const leftMs = waitsWhileKeyProgresses ? lane.startedAt + maxWaitMs - performance.now() : 0;
      if (leftMs > 0) timer = setTimeout(late, leftMs).unref();
      else giveUp(new NotReady('This node has been busy for too long to respond in time; try again.'));
    };
    let timer = setTimeout(late, maxWaitMs).unref();
    return () => clearTimeout(timer);
  }

  /**
   * Makes room by rejecting the last task of the key with the most waiting tasks.
   * @throws RateLimited if the new task's own key has the most waiting tasks
   */
  private makeRoom(ownCount: number): void {
    const [key, longest] = [...this.waiting].reduce((one, other) => (other[1].size > one[1].size ? other : one));
    const { last } = longest;
    if (!last || longest.size <= ownCount + 1) throw this.rejection();
    this.remove(key, last);
    last.reject(this.rejection());
  }

  private remove(key: string, entry: Waiting, { toLastTurn = false } = {}): void {
    const left = this.waiting.get(key);
    if (!left?.delete(entry)) return;
    this.waitingCount--;
    if (toLastTurn) left.startedAt = performance.now();
    if (toLastTurn || left.size === 0) this.waiting.delete(key);
    if (left.size > 0) this.waiting.set(key, left);
  }

  private rejection(): RateLimited {
    return new RateLimited(this.limits.rejection, retryAfterSeconds);
  }
}
