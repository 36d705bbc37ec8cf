import type { Clock } from '@passwright/core';

/** A turn of at least this length is slow. */
const SLOW_MS = 5000;
const REMEMBERED_MS = 10 * 60_000;
/** The maximum number of remembered tenants. If there are more, the oldest are forgotten. */
const MOST = 10_000;

/** Remembers the tenants with slow turns, for ten minutes after the last one. */
export class SlowShares {
  /** When each tenant stops counting as slow, earliest first. */
  private readonly until = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  has(share: string): boolean {
    const until = this.until.get(share);
    if (until === undefined) return false;
    const now = this.clock.now().getTime();
    // Ignore a time further ahead, because it was recorded before the clock was set back.
    if (now < until && until <= now + REMEMBERED_MS) return true;
    this.until.delete(share);
    return false;
  }

  /** Records a turn that ends now, if it was slow. */
  note(share: string, begunAt: number): void {
    const now = this.clock.now().getTime();
    if (now - begunAt < SLOW_MS) return;
    this.until.delete(share);
    const [oldest] = this.until.keys();
    if (oldest !== undefined && this.until.size >= MOST) this.until.delete(oldest);
    this.until.set(share, now + REMEMBERED_MS);
  }
}
