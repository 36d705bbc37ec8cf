/** How many late requests one turn of the event loop rejects. A rejection is cheap. */
const REJECTIONS = 10;

interface WaitingRequest {
  readonly begin: () => void;
  readonly reject: () => void;
  /** The time after which the request is late. */
  readonly until: number;
}

/**
 * Starts one request per turn of the event loop, alternating between the callers with waiting requests. Otherwise,
 * thousands of simultaneous requests would all be parsed, routed and authenticated before any other work continues.
 * Rejects a request that has waited for `maxWaitMs`, because a node with more requests than turns would otherwise keep
 * all of them waiting.
 */
export class RequestScheduler {
  /** The waiting requests by caller, with the callers in the order of their turns. */
  private readonly waiting = new Map<string, WaitingRequest[]>();
  private hasBegun = false;

  constructor(private readonly maxWaitMs: number) {}

  /**
   * Calls `begin` immediately or in this caller's next free turn. Calls `reject` instead if that turn comes too late.
   */
  take(caller: string, begin: () => void, reject = begin): void {
    if (!this.hasBegun) return this.begin(begin);
    const request = { begin, reject, until: performance.now() + this.maxWaitMs };
    const own = this.waiting.get(caller);
    if (own) own.push(request);
    else this.waiting.set(caller, [request]);
  }

  private begin(begin: () => void): void {
    this.hasBegun = true;
    setImmediate(() => this.beginNext());
    begin();
  }

  private beginNext(): void {
    this.hasBegun = false;
    for (let rejections = 0; ; rejections++) {
      const next = this.removeNext();
      if (!next) return;
      if (performance.now() < next.until) return this.begin(next.begin);
      if (rejections === REJECTIONS) return this.begin(next.reject);
      next.reject();
    }
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
