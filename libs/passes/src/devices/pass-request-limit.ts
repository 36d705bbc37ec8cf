import { Injectable } from '@nestjs/common';
import { Clock, RateLimited, type RatePolicy } from '@passwright/core';
import { PassesOptions } from '../passes.options.js';

const WINDOW_SECONDS = 60;
const DEFAULT_PER_MINUTE = 300;
const SWEEP_AT = 10_000;

interface Window {
  count: number;
  readonly endsAt: number;
}

/**
 * Limits what phones ask of one pass in a minute on this node; each package costs a signature. Phones share addresses,
 * so the limit goes by serial number. Count only after the pass's token was checked. iOS honours `Retry-After`.
 */
@Injectable()
export class PassRequestLimit {
  private readonly windows = new Map<string, Window>();
  private readonly policy: RatePolicy;

  constructor(
    { requestsPerPass = DEFAULT_PER_MINUTE }: PassesOptions,
    private readonly clock: Clock,
  ) {
    this.policy = { limit: requestsPerPass, windowSeconds: WINDOW_SECONDS };
  }

  /** @throws RateLimited */
  take(serialNumber: string): void {
    const { limit } = this.policy;
    if (limit === 0) return;
    const now = this.clock.now().getTime();
    const window = this.windowOf(serialNumber, now);
    window.count++;
    if (window.count <= limit) return;
    const retryAfter = Math.ceil((window.endsAt - now) / 1000);
    throw new RateLimited(`More than ${limit} requests for this pass in a minute.`, retryAfter, this.policy);
  }

  private windowOf(serialNumber: string, now: number): Window {
    const open = this.windows.get(serialNumber);
    if (open && open.endsAt > now) return open;
    if (this.windows.size >= SWEEP_AT) this.sweep(now);
    const window = { count: 0, endsAt: now + WINDOW_SECONDS * 1000 };
    this.windows.set(serialNumber, window);
    return window;
  }

  private sweep(now: number): void {
    for (const [serialNumber, { endsAt }] of this.windows) if (endsAt <= now) this.windows.delete(serialNumber);
  }
}
