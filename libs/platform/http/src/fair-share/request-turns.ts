/** How many requests that are late are refused in a turn of the event loop: a refusal costs little. */
const REFUSALS = 10;

interface WaitingRequest {
  readonly begin: () => void;
  readonly refuse: () => void;
  /** When it is late. */
  readonly until: number;
}

/**
 * Begins one request in each turn of the event loop, and lets the callers whose requests wait take turns. Thousands of
 * requests that arrive together would else all be parsed, routed and authenticated before anything else goes on. A request
 * that has waited for `maxWaitMs` is refused: a node with more requests than turns would else keep all of them waiting.
 */
export class RequestTurns {
  /** Requests that wait by caller; the callers stand in the order of their turns. */
  private readonly waiting = new Map<string, WaitingRequest[]>();
  private hasBegun = false;

  constructor(private readonly maxWaitMs: number) {}

  /** Calls `begin` at once or in the first turn of the loop that is free for this caller, or `refuse` where that is late. */
  take(caller: string, begin: () => void, refuse = begin): void {
    if (!this.hasBegun) return this.begin(begin);
    const request = { begin, refuse, until: performance.now() + this.maxWaitMs };
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
    for (let refusals = 0; ; refusals++) {
      const next = this.removeNext();
      if (!next) return;
      if (performance.now() < next.until) return this.begin(next.begin);
      if (refusals === REFUSALS) return this.begin(next.refuse);
      next.refuse();
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
