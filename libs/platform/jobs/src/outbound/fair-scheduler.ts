import { type Clock, inCurrentTrace } from '@passwright/core';
import { SlowShares } from './slow-shares.js';

/** Slow tenants together leave one slot in eight free. */
const FREE_PART = 8;

/** The result of one turn of a key. */
export interface TurnEnd {
  /** True if more work may be due now: the key gets another turn, after the others. */
  readonly hasMore: boolean;
  /** When the key's next work is due; null if no further work is known. */
  readonly nextAt: Date | null;
}

/** A key with work left at the end of a time slice. The work is due at `at`, or now if `at` is null. */
export interface LeftKey<Key> {
  readonly key: Key;
  readonly at: Date | null;
}

/** The result of a time slice. */
export interface SliceEnd<Key> {
  /** True if time ran out. Keys that the scheduler has not read yet may have work too. */
  readonly isCut: boolean;
  readonly left: readonly LeftKey<Key>[];
}

/** The current time slice, as a turn sees it. */
export interface TimeSlice {
  /** Aborts when the process stops. */
  readonly signal: AbortSignal;
  /** The number of keys with a turn in progress. */
  readonly busy: number;
  /** Returns true while there is time for another step. */
  mayContinue(): boolean;
}

export interface FairSchedulerOptions<Key> {
  /**
   * The maximum number of simultaneous turns. A tenant (`share` in `join`) gets another slot only if more slots
   * are free than it uses. A tenant is slow if it had a turn of five seconds or more in the last ten minutes. All slow
   * tenants together leave an eighth of the slots free.
   */
  readonly atOnce: number;
  /** No turn begins after this time. The next time slice does the remaining work. */
  readonly sliceMs: number;
  readonly clock: Clock;
  readonly idOf: (key: Key) => string;
  /** Does the work of one turn. */
  readonly serve: (key: Key, slice: TimeSlice) => Promise<TurnEnd>;
  /** Called when a turn fails. The other keys continue. */
  readonly onError: (error: unknown) => void;
  /** Returns the page of keys with work after the given key, or the first page for null. Required for `lookAgain`. */
  readonly pageAfter?: (key: Key | null) => Promise<readonly Key[]>;
}

interface Due<Key> {
  readonly key: Key;
  readonly share: string | undefined;
}

interface Turn<Key> extends Due<Key> {
  /** True if more work has arrived since the turn began. */
  isAskedAgain: boolean;
}

/**
 * Gives keys (accounts, webhooks) turns for one time slice, several at once, in order of arrival. Keys may join during
 * the slice, so a node needs only one job for all keys.
 */
export class FairScheduler<Key> implements TimeSlice {
  /** Resolves with the remaining work when no key has work or the time slice is over. Rejects if `pageAfter` fails. */
  readonly ended: Promise<SliceEnd<Key>>;
  private readonly waiting = new Map<string, Due<Key>>();
  private readonly serving = new Map<string, Turn<Key>>();
  private readonly later = new Map<string, LeftKey<Key> & { readonly at: Date }>();
  /** The keys that have had no more work since the last `lookAgain`. */
  private readonly done = new Set<string>();
  private readonly endsAt: number;
  /** Serves a key in the trace of the job that started the slice, even if another job added the key. */
  private readonly serve: FairSchedulerOptions<Key>['serve'];
  private mustLook = false;
  private isLooking = false;
  /** The last key of the previous page; null before the first page. */
  private after: Key | null = null;
  private failure: { readonly error: unknown } | null = null;
  private hasEnded = false;
  private finish: () => void = () => undefined;

  /** @param slow the slow tenants, which the next time slice remembers */
  constructor(
    private readonly options: FairSchedulerOptions<Key>,
    readonly signal: AbortSignal,
    private readonly slow = new SlowShares(options.clock),
  ) {
    this.serve = inCurrentTrace(options.serve);
    this.endsAt = options.clock.now().getTime() + options.sliceMs;
    this.ended = new Promise<void>((resolve) => (this.finish = resolve)).then(() => this.end());
  }

  mayContinue(): boolean {
    return !this.failure && !this.signal.aborted && this.options.clock.now().getTime() < this.endsAt;
  }

  get busy(): number {
    return this.serving.size;
  }

  /**
   * Gives a key a turn, or one more turn after its current one.
   * @returns false if the time slice is over
   */
  join(key: Key, share?: string): boolean {
    if (!this.isOpen()) return false;
    const id = this.options.idOf(key);
    const turn = this.serving.get(id);
    if (turn) turn.isAskedAgain = true;
    else this.waiting.set(id, { key, share });
    this.fill();
    return true;
  }

  /**
   * Searches for keys again from the first page, because any key may have new work.
   * @returns false if the time slice is over
   */
  lookAgain(): boolean {
    if (!this.isOpen()) return false;
    this.mustLook = true;
    this.done.clear();
    for (const turn of this.serving.values()) turn.isAskedAgain = true;
    this.fill();
    return true;
  }

  private isOpen(): boolean {
    if (!this.hasEnded && this.mayContinue()) return true;
    this.endWhenDone();
    return false;
  }

  private fill(): void {
    for (const [id, due] of this.waiting) {
      if (this.serving.size >= this.options.atOnce || !this.mayContinue()) break;
      if (!this.hasRoomFor(due)) continue;
      this.waiting.delete(id);
      void this.turn(id, due);
    }
    if (this.waiting.size === 0 && this.serving.size < this.options.atOnce && this.mayContinue()) void this.look();
    this.endWhenDone();
  }

  private hasRoomFor({ share }: Due<Key>): boolean {
    if (share === undefined) return true;
    const { atOnce } = this.options;
    const taken = this.countServing((other) => other === share);
    if (taken >= atOnce - this.serving.size) return false;
    if (!this.slow.has(share)) return true;
    return this.countServing((other) => this.slow.has(other)) < atOnce - Math.floor(atOnce / FREE_PART);
  }

  private countServing(counts: (share: string) => boolean): number {
    return [...this.serving.values()].filter(({ share }) => share !== undefined && counts(share)).length;
  }

  private async turn(id: string, due: Due<Key>): Promise<void> {
    const turn = { ...due, isAskedAgain: false };
    const begunAt = this.options.clock.now().getTime();
    let end: TurnEnd = { hasMore: false, nextAt: null };
    this.serving.set(id, turn);
    try {
      end = await this.serve(due.key, this);
    } catch (error) {
      this.options.onError(error);
    }
    this.serving.delete(id);
    if (due.share !== undefined) this.slow.note(due.share, begunAt);
    if (end.nextAt) this.note(id, { key: due.key, at: end.nextAt });
    if (end.hasMore || turn.isAskedAgain) this.waiting.set(id, due);
    else this.done.add(id);
    this.fill();
  }

  private note(id: string, left: LeftKey<Key> & { readonly at: Date }): void {
    const known = this.later.get(id);
    if (!known || left.at < known.at) this.later.set(id, left);
  }

  /** Reads the next page of keys. Never reads two pages at the same time. */
  private async look(): Promise<void> {
    const { pageAfter, idOf } = this.options;
    if (!pageAfter || this.isLooking || (this.after === null && !this.mustLook)) return;
    this.isLooking = true;
    if (this.after === null) this.mustLook = false;
    try {
      const found = await pageAfter(this.after);
      this.after = found.at(-1) ?? null;
      for (const key of found) {
        const id = idOf(key);
        if (!this.done.has(id) && !this.serving.has(id)) this.waiting.set(id, { key, share: undefined });
      }
    } catch (error) {
      this.failure = { error };
    }
    this.isLooking = false;
    this.fill();
  }

  private endWhenDone(): void {
    if (this.serving.size > 0 || this.isLooking || (this.waiting.size > 0 && this.mayContinue())) return;
    this.hasEnded = true;
    this.finish();
  }

  private end(): SliceEnd<Key> {
    if (this.failure) throw this.failure.error;
    const due = [...this.waiting.values()].map(({ key }) => ({ key, at: null }));
    return { isCut: !this.mayContinue(), left: [...due, ...this.later.values()] };
  }
}
