import { GoogleQuota, type GoogleUrgency, WalletUnavailable } from '@passwright/core';

/** The long-term rate per second, and the number of requests that may be sent simultaneously. */
export interface Pace {
  readonly perSecond: number;
  readonly burst: number;
}

/** Google allows 20 requests in any second. Burst and rate together stay below this limit. */
const googlePace: Pace = { perSecond: 15, burst: 5 };
const MAX_ISSUERS = 1000;

/** Google's quota for a single node. Serves requests in order, but those with a waiting holder first. */
export class MemoryQuota extends GoogleQuota {
  private readonly issuers = new Map<string, Turns>();

  constructor(private readonly pace: Pace = googlePace) {
    super();
  }

  override take(issuerId: string, urgency: GoogleUrgency, maxWaitMs: number): Promise<void> {
    let turns = this.issuers.get(issuerId);
    if (!turns) {
      if (this.issuers.size >= MAX_ISSUERS) this.forgetIdle();
      this.issuers.set(issuerId, (turns = new Turns(this.pace)));
    }
    return turns.take(urgency, maxWaitMs);
  }

  private forgetIdle(): void {
    for (const [issuerId, turns] of this.issuers) if (turns.idle) this.issuers.delete(issuerId);
  }
}

interface Waiter {
  readonly giveUpAt: number;
  readonly resolve: () => void;
  readonly reject: (error: WalletUnavailable) => void;
}

class Turns {
  private readonly intervalMs: number;
  private readonly toleranceMs: number;
  private readonly waiting: Record<GoogleUrgency, Waiter[]> = { holder: [], background: [] };
  /**
   * The time at which all earlier requests would have been sent at the long-term rate. A full burst is allowed from
   * then on.
   */
  private paidAt = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor({ perSecond, burst }: Pace) {
    this.intervalMs = 1000 / perSecond;
    this.toleranceMs = this.intervalMs * (burst - 1);
  }

  get idle(): boolean {
    return this.timer === null && this.paidAt <= performance.now();
  }

  take(urgency: GoogleUrgency, maxWaitMs: number): Promise<void> {
    const now = performance.now();
    const { holder, background } = this.waiting;
    const ahead = holder.length + (urgency === 'holder' ? 0 : background.length);
    const waitMs = this.pauseMs(now) + ahead * this.intervalMs;
    if (waitMs > maxWaitMs) return Promise.reject(crowded());
    if (waitMs <= 0) {
      this.pay(now);
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      this.waiting[urgency].push({ giveUpAt: now + maxWaitMs, resolve, reject });
      this.timer ??= this.arm(now);
    });
  }

  private serve(): void {
    const now = performance.now();
    const { holder, background } = this.waiting;
    for (const queue of [holder, background]) giveUp(queue, now);
    while (this.pauseMs(now) <= 0) {
      const next = holder.shift() ?? background.shift();
      if (!next) break;
      this.pay(now);
      next.resolve();
    }
    this.timer = holder.length + background.length > 0 ? this.arm(now) : null;
  }

  private arm(now: number): NodeJS.Timeout {
    return setTimeout(() => this.serve(), Math.max(1, Math.ceil(this.pauseMs(now))));
  }

  private pauseMs(now: number): number {
    return Math.max(0, this.paidAt - this.toleranceMs - now);
  }

  private pay(now: number): void {
    this.paidAt = Math.max(this.paidAt, now) + this.intervalMs;
  }
}

/** Rejects waiting requests that have been overtaken for too long. */
function giveUp(queue: Waiter[], now: number): void {
  for (let index = queue.length - 1; index >= 0; index--) {
    const waiter = queue[index];
    if (!waiter || waiter.giveUpAt >= now) continue;
    queue.splice(index, 1);
    waiter.reject(crowded());
  }
}

function crowded(): WalletUnavailable {
  return new WalletUnavailable('Too many requests to Google Wallet wait for their turn; try again later.', 60);
}
