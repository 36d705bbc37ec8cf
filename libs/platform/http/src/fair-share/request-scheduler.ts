/**
 * How many requests begin in one turn of the event loop. Their look-ups share a round trip to the database. More would
 * save little time and delay other work.
 */
const AT_ONCE = 4;
/** How many late requests are rejected in one turn of the event loop. */
const REJECTIONS = 10;

interface WaitingRequest {
  readonly begin: () => void;
  readonly reject: () => void;
  /** The time at which the wait becomes too long. */
  readonly until: number;
}

/**
 * Starts four requests per turn of the event loop, alternating between the waiting callers. Rejects a request that has
 * waited for `maxWaitMs`.
 */
export class RequestScheduler {
  /** The waiting requests by caller, with the callers in the order of their turns. */
  private readonly waiting = new Map<string, WaitingRequest[]>();
  /** How many requests have begun in this turn. */
  private begun = 0;

  constructor(private readonly maxWaitMs: number) {}

  /** Calls `begin` immediately or in this caller's next free turn. If that turn is too late, calls `reject` instead. */
  take(caller: string, begin: () => void, reject = begin): void {
    if (this.begun < AT_ONCE) return this.begin(begin);
    const request = { begin, reject, until: performance.now() + this.maxWaitMs };
    const own = this.waiting.get(caller);
    if (own) own.push(request);
    else this.waiting.set(caller, [request]);
  }

  private begin(begin: () => void): void {
    if (this.begun === 0) setImmediate(() => this.beginNext());
    this.begun++;
    begin();
  }

  private beginNext(): void {
    this.begun = 0;
    let rejected = 0;
    while (this.begun < AT_ONCE) {
      const next = this.removeNext();
      if (!next) return;
      if (performance.now() < next.until) {
        this.begin(next.begin);
        continue;
      }
      next.reject();
      rejected++;
      if (rejected > REJECTIONS) this.endTurn();
    }
  }

  /** Prevents further requests from beginning in this turn. */
  private endTurn(): void {
    this.begin(() => undefined);
    this.begun = AT_ONCE;
  }

  private removeNext(): WaitingRequest | undefined {
    for (const [caller, own] of this.waiting) {
      const next = own.shift();
      this.waiting.delete(caller);
      if (own.length > 0) this.waiting.set(caller, own);
      return next;
    }
    return undefined;
  }
}
