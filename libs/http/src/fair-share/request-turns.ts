/**
 * Begins one request in each turn of the event loop, and lets the callers whose requests wait take turns. Thousands of
 * requests that arrive together would else all be parsed, routed and authenticated before anything else goes on.
 */
export class RequestTurns {
  /** Requests that wait by caller; the callers stand in the order of their turns. */
  private readonly waiting = new Map<string, (() => void)[]>();
  private hasBegun = false;

  /** Calls `begin` at once, or in the first turn of the loop that is free for this caller. */
  take(caller: string, begin: () => void): void {
    if (!this.hasBegun) return this.begin(begin);
    const own = this.waiting.get(caller);
    if (own) own.push(begin);
    else this.waiting.set(caller, [begin]);
  }

  private begin(begin: () => void): void {
    this.hasBegun = true;
    setImmediate(() => this.beginNext());
    begin();
  }

  private beginNext(): void {
    this.hasBegun = false;
    for (const [caller, own] of this.waiting) {
      const next = own.shift();
      this.waiting.delete(caller);
      if (own.length > 0) this.waiting.set(caller, own);
      return next && this.begin(next);
    }
  }
}
