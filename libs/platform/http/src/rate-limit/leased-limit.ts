import { MAX_CLOCK_DIFFERENCE_MS } from '@passwright/core';
import { RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';

const MAX_LEASES = 10_000;

/** The state of a caller's limit after one request. */
export interface Standing {
  readonly allowed: boolean;
  /** The number of requests left in the window, as far as this node knows. */
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly resetMs: number;
}

interface Lease {
  /** Points that this node may still spend. */
  left: number;
  /** Points that no node has taken yet. */
  readonly unleased: number;
  readonly endsAt: number;
}

/**
 * A limit over all nodes that rarely asks the store. Each node takes points, one per request, in batches of a fiftieth
 * of the limit. No caller gets more than the limit. A caller on many nodes may get less, because each node may have
 * unspent points.
 */
export class LeasedLimit {
  private readonly leases = new Map<string, Lease>();
  private readonly asking = new Map<string, Promise<void>>();
  private readonly batch: number;

  constructor(
    private readonly store: Pick<RateLimiterAbstract, 'consume' | 'delete'>,
    private readonly limit: number,
    private readonly windowMs = 60_000,
  ) {
    this.batch = Math.max(1, Math.floor(limit / 50));
  }

  /** Counts one request of a caller. @throws the store's error when it is unreachable */
  async take(caller: string): Promise<Standing> {
    for (;;) {
      const standing = this.spend(caller);
      if (standing) return standing;
      await (this.asking.get(caller) ?? this.ask(caller));
    }
  }

  /** Spends one of this node's points. @returns null if the store must be asked */
  private spend(caller: string): Standing | null {
    const lease = this.leases.get(caller);
    const resetMs = lease ? lease.endsAt - performance.now() : 0;
    if (!lease || resetMs <= 0) return null;
    if (lease.left === 0) return lease.unleased > 0 ? null : { allowed: false, remaining: 0, resetMs };
    lease.left--;
    return { allowed: true, remaining: lease.left + lease.unleased, resetMs };
  }

  /**
   * Requests points from the store. Sends one request at a time per caller, because simultaneous requests would take
   * too many points.
   */
  private ask(caller: string): Promise<void> {
    const asked = this.lease(caller).finally(() => this.asking.delete(caller));
    this.asking.set(caller, asked);
    return asked;
  }

  private async lease(caller: string): Promise<void> {
    const { consumedPoints, msBeforeNext } = await this.consume(caller);
    const before = consumedPoints - this.batch;
    // Use the response for at least a millisecond, so that all requests that waited for it can use it.
    const endsAt = performance.now() + Math.max(msBeforeNext, 1);
    this.leases.delete(caller);
    const [oldest] = this.leases.keys();
    if (oldest !== undefined && this.leases.size >= MAX_LEASES) this.leases.delete(oldest);
    this.leases.set(caller, {
      left: Math.min(this.batch, Math.max(0, this.limit - before)),
      unleased: Math.max(0, this.limit - consumedPoints),
      endsAt,
    });
  }

  /** Consumes points. Returns the result even if the points run out, although the library then rejects its promise. */
  private async consume(caller: string): Promise<RateLimiterRes> {
    const result = await this.consumeOnce(caller);
    if (result.msBeforeNext <= this.windowMs + MAX_CLOCK_DIFFERENCE_MS) return result;
    // A node with a wrong clock began this window, which could last for days. Begin a new one.
    await this.store.delete(caller);
    return this.consumeOnce(caller);
  }

  private async consumeOnce(caller: string): Promise<RateLimiterRes> {
    try {
      return await this.store.consume(caller, this.batch);
    } catch (rejected) {
      if (rejected instanceof RateLimiterRes) return rejected;
      throw rejected;
    }
  }
}
