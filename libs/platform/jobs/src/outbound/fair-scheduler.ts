import type { Clock } from '@passwright/core';

/** The end of one turn of a key. */
export interface TurnEnd {
  /** More may be due at once: the key has another turn, after the others. */
  readonly hasMore: boolean;
  /** The time of the next work that the turn has left; null when it knows of none. */
  readonly nextAt: Date | null;
}

/** Work that a time slice leaves: due now, or at `at`. */
export interface LeftKey<Key> {
  readonly key: Key;
  readonly at: Date | null;
}

/** The end of a time slice. */
export interface SliceEnd<Key> {
  /** The time was over: keys that the scheduler has not looked for may have work, too. */
  readonly isCut: boolean;
  readonly left: readonly LeftKey<Key>[];
}

/** The time in which a scheduler gives turns, as a turn sees it. */
export interface TimeSlice {
  /** Aborts when the process is to stop. */
  readonly signal: AbortSignal;
  /** The number of keys that have their turns at this moment. */
  readonly busy: number;
  /** Returns whether there is time for another step. */
  mayContinue(): boolean;
}

export interface FairSchedulerOptions<Key> {
  /**
   * The most keys that have their turns at the same time. A receiver that does not answer takes one of these places. Keys
   * of one share never take more of them than they leave free, half of them when the share is alone: however many of its
   * receivers hang, the next share finds a place.
   */
  readonly atOnce: number;
  /** No turn begins later than that. What is left is work for another time slice. */
  readonly sliceMs: number;
  readonly clock: Clock;
  readonly idOf: (key: Key) => string;
  /** Does the work of one turn. */
  readonly serve: (key: Key, slice: TimeSlice) => Promise<TurnEnd>;
  /** Called when a turn fails. The other keys go on. */
  readonly onError: (error: unknown) => void;
  /** Finds the keys after this one that have work, a page at a time. Needed for `lookAgain`. */
  readonly pageAfter?: (key: Key | null) => Promise<readonly Key[]>;
}

interface Due<Key> {
  readonly key: Key;
  readonly share: string | undefined;
}

interface Turn<Key> extends Due<Key> {
  /** More work has come since the turn began, perhaps after it has looked. */
  isAskedAgain: boolean;
}

/**
 * Gives keys (accounts, webhooks) their turns for one time slice, in the order in which they came, several at once. More
 * keys join while it goes on, so that a node needs one place for jobs however many keys have work.
 */
export class FairScheduler<Key> implements TimeSlice {
  /** Resolves once no key has work or the time slice is over, with what is left. Rejects when `pageAfter` fails. */
  readonly ended: Promise<SliceEnd<Key>>;
  private readonly waiting = new Map<string, Due<Key>>();
  private readonly serving = new Map<string, Turn<Key>>();
  private readonly later = new Map<string, LeftKey<Key> & { readonly at: Date }>();
  /** Keys that have no more work since the last call of `lookAgain`. */
  private readonly done = new Set<string>();
  private readonly endsAt: number;
  private mustLook = false;
  private isLooking = false;
  /** The last key of the page before; null before the first page. */
  private after: Key | null = null;
  private failure: { readonly error: unknown } | null = null;
  private hasEnded = false;
  private finish: () => void = () => undefined;

  constructor(
    private readonly options: FairSchedulerOptions<Key>,
    readonly signal: AbortSignal,
  ) {
    this.endsAt = options.clock.now().getTime() + options.sliceMs;
    this.ended = new Promise<void>((resolve) => (this.finish = resolve)).then(() => this.end());
  }

  mayContinue(): boolean {
    return !this.failure && !this.signal.aborted && this.options.clock.now().getTime() < this.endsAt;
  }

  get busy(): number {
    return this.serving.size;
  }

  /** Gives a key a turn, and another one when it has its turn just now. @returns false when the time slice is over */
  join(key: Key, share?: string): boolean {
    if (!this.isOpen()) return false;
    const id = this.options.idOf(key);
    const turn = this.serving.get(id);
    if (turn) turn.isAskedAgain = true;
    else this.waiting.set(id, { key, share });
    this.fill();
    return true;
  }

  /** Looks for keys from the first page, as new work may be due for any. @returns false when the time slice is over */
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
    const taken = [...this.serving.values()].filter((turn) => turn.share === share).length;
    return taken < this.options.atOnce - this.serving.size;
  }

  private async turn(id: string, due: Due<Key>): Promise<void> {
    const turn = { ...due, isAskedAgain: false };
    let end: TurnEnd = { hasMore: false, nextAt: null };
    this.serving.set(id, turn);
    try {
      end = await this.options.serve(due.key, this);
    } catch (error) {
      this.options.onError(error);
    }
    this.serving.delete(id);
    if (end.nextAt) this.note(id, { key: due.key, at: end.nextAt });
    if (end.hasMore || turn.isAskedAgain) this.waiting.set(id, due);
    else this.done.add(id);
    this.fill();
  }

  private note(id: string, left: LeftKey<Key> & { readonly at: Date }): void {
    const known = this.later.get(id);
    if (!known || left.at < known.at) this.later.set(id, left);
  }

  /** Asks for one page of keys at a time. */
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
