import { Injectable } from '@nestjs/common';
import { Clock, RateLimited, type RatePolicy } from '@passwright/core';
import { AppleWalletOptions } from '../apple-wallet.options.js';

const WINDOW_SECONDS = 60;
const WINDOW_MS = WINDOW_SECONDS * 1000;
const DEFAULT_PER_MINUTE = 300;
/** A phone registers once and fetches at each change, so registrations have a fifth of the limit, apart from it. */
const REQUESTS_PER_REGISTRATION = 5;

/**
 * Limits what phones ask of one pass in a minute on this node; each package costs a signature. Phones share addresses,
 * so the limit goes by serial number. Count only after the pass's token was checked. iOS honours `Retry-After`.
 */
@Injectable()
export class PassRequestLimit {
  /** The requests of each pass in the present minute. All minutes begin together, so that they are forgotten in one step. */
  private counts = new Map<string, number>();
  private endsAt = 0;
  private readonly policy: RatePolicy;
  private readonly registrationPolicy: RatePolicy;

  constructor(
    { requestsPerPass = DEFAULT_PER_MINUTE }: AppleWalletOptions,
    private readonly clock: Clock,
  ) {
    this.policy = { limit: requestsPerPass, windowSeconds: WINDOW_SECONDS };
    this.registrationPolicy = { ...this.policy, limit: Math.ceil(requestsPerPass / REQUESTS_PER_REGISTRATION) };
  }

  /** Counts a request for a pass, and for its updates. @throws RateLimited */
  take(serialNumber: string): void {
    this.count(serialNumber, this.policy);
  }

  /** Counts a registration: apart from fetches, so that made-up devices take no update from a phone. @throws RateLimited */
  takeRegistration(serialNumber: string): void {
    this.count(`registration ${serialNumber}`, this.registrationPolicy);
  }

  private count(name: string, policy: RatePolicy): void {
    const { limit } = policy;
    if (limit === 0) return;
    const now = this.clock.now().getTime();
    // A clock that was set back ends the minute, too.
    if (now >= this.endsAt || now < this.endsAt - WINDOW_MS) {
      this.counts = new Map();
      this.endsAt = now + WINDOW_MS;
    }
    const count = (this.counts.get(name) ?? 0) + 1;
    this.counts.set(name, count);
    if (count <= limit) return;
    const retryAfter = Math.ceil((this.endsAt - now) / 1000);
    throw new RateLimited(`More than ${limit} requests for this pass in a minute.`, retryAfter, policy);
  }
}
