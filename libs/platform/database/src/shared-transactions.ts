import { AsyncResource } from 'node:async_hooks';
import { currentTrace, inCurrentTrace, linkTrace } from '@passwright/core';
import { type EntityManager, QueryFailedError } from 'typeorm';
import {
  hasRolledBack,
  isDatabaseSilent,
  isDatabaseUnavailable,
  mayHaveCommitted,
} from './connections/temporary-errors.js';
import type { Database } from './database.js';

/** While this many items of a key are in progress, further items wait and share the next transaction. */
const IN_PROGRESS = 2;
const MOST_TOGETHER = 50;
/** A transaction that has run for this long may be waiting for a lock, so the next one starts. */
const SLOW_MS = 20;

/** The result of an item in a shared transaction; null if the item has to run alone. */
type Outcome<Result> = Result | Error | null;

interface WaitingItem<Item, Result> {
  readonly item: Item;
  readonly resolve: (outcome: Outcome<Result> | typeof itsTurn) => void;
  readonly trace: string | undefined;
  /** Runs work in the trace of the item. */
  readonly inTrace: (work: () => Promise<void>) => Promise<void>;
}

interface Queue<Item, Result> {
  inProgress: number;
  readonly waiting: WaitingItem<Item, Result>[];
}

/** The result of the only waiting item, which now runs alone. */
const itsTurn = Symbol('its turn');

/**
 * Runs simultaneous items of a key, such as equal requests of one account, in one shared transaction. An item runs
 * immediately while fewer than two items of its key are in progress, and otherwise waits at most 20 ms for the next
 * shared transaction. If that transaction has no result for the item or is rolled back, the item runs alone. All items
 * fail if no connection is free, if the server does not respond, or if the transaction may have committed. Items within
 * `inOneTransaction` always run in that transaction.
 */
export class SharedTransactions<Item, Result extends object> {
  private readonly queues = new Map<string, Queue<Item, Result>>();
  /** Runs shared transactions outside of the context of the request that starts them. */
  private readonly outside = new AsyncResource('SharedTransactions');

  /**
   * @param alone runs one item in a transaction of its own
   * @param together runs at most 50 items. Returns for each item its result, or null if `tx` did nothing for it
   * @param inOneTrip runs items like `together`, but in one round trip. Returns null, without running any, if it cannot
   */
  constructor(
    private readonly database: Pick<Database, 'isInTransaction' | 'transaction'>,
    private readonly alone: (item: Item) => Promise<Result>,
    private readonly together: (tx: EntityManager, items: readonly Item[]) => Promise<readonly (Result | null)[]>,
    private readonly inOneTrip: (items: readonly Item[]) => Promise<readonly (Result | null)[] | null> = () =>
      Promise.resolve(null),
  ) {}

  /** Returns the result after the commit. @throws the error of `alone` for this item, or of the shared transaction */
  async run(key: string, item: Item): Promise<Result> {
    if (this.database.isInTransaction) return this.alone(item);
    const queue = this.queues.get(key) ?? { inProgress: 0, waiting: [] };
    this.queues.set(key, queue);
    const outcome = await new Promise<Outcome<Result> | typeof itsTurn>((resolve) => {
      // Runs after all requests of this turn of the event loop have added their items.
      if (queue.waiting.length === 0) process.nextTick(() => this.startNext(key, queue));
      queue.waiting.push({ item, resolve, trace: currentTrace(), inTrace: inCurrentTrace((work) => work()) });
    });
    if (outcome === itsTurn) return this.progress(key, queue, 1, () => this.runSingle(item));
    if (outcome instanceof Error) throw outcome;
    return outcome ?? this.alone(item);
  }

  private async runSingle(item: Item): Promise<Result> {
    return (await this.inOneTrip([item]))?.[0] ?? this.alone(item);
  }

  /** Runs `work` for items in progress. Starts the next transaction when `work` ends or is slow. */
  private async progress<T>(
    key: string,
    queue: Queue<Item, Result>,
    items: number,
    work: () => Promise<T>,
  ): Promise<T> {
    let isCounted = true;
    const leave = () => {
      if (!isCounted) return;
      isCounted = false;
      queue.inProgress -= items;
      this.startNext(key, queue);
    };
    const timer = setTimeout(leave, SLOW_MS);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      leave();
    }
  }

  private startNext(key: string, queue: Queue<Item, Result>): void {
    if (queue.inProgress >= IN_PROGRESS) return;
    const [first, ...others] = queue.waiting.splice(0, MOST_TOGETHER);
    if (!first) {
      if (queue.inProgress === 0) this.queues.delete(key);
      return;
    }
    const group = [first, ...others];
    queue.inProgress += group.length;
    if (group.length === 1) return first.resolve(itsTurn);
    const run = async () => {
      const outcomes = await this.share(group);
      for (const [index, { resolve }] of group.entries()) resolve(outcomes[index] ?? null);
    };
    const inTrace = () => first.inTrace(() => this.progress(key, queue, group.length, run));
    void this.outside.runInAsyncScope(inTrace);
  }

  /** Runs the items in the trace of the first one, with links to the traces of the others. */
  private async share(group: readonly WaitingItem<Item, Result>[]): Promise<readonly Outcome<Result>[]> {
    const items = group.map(({ item }) => item);
    const link = () => group.slice(1).forEach(({ trace }) => linkTrace(trace));
    try {
      const results = await this.inOneTrip(items);
      if (!results) return await this.inTransaction(items, link);
      link();
      return results;
    } catch (error) {
      const isFinal = error instanceof QueryFailedError ? mayHaveCommitted(error) : isDatabaseUnavailable(error);
      return items.map(() => (isFinal ? (error as Error) : null));
    }
  }

  private async inTransaction(items: readonly Item[], link: () => void): Promise<readonly Outcome<Result>[]> {
    let hasBegun = false;
    let isComplete = false;
    const work = async (tx: EntityManager) => {
      hasBegun = true;
      isComplete = false;
      link();
      const results = await this.together(tx, items);
      isComplete = true;
      return results;
    };
    try {
      return await this.database.transaction(work);
    } catch (error) {
      // Run no item again if the commit may have succeeded, or if the server does not respond.
      const isFinal = (isComplete && !hasRolledBack(error)) || !hasBegun || isDatabaseSilent(error);
      return items.map(() => (isFinal ? (error as Error) : null));
    }
  }
}
