import { Injectable } from '@nestjs/common';
import { Clock, RateLimited, type RatePolicy } from '@passwright/core';
import { AppleWalletOptions } from '../apple-wallet.options.js';

const WINDOW_SECONDS = 60;
const WINDOW_MS = WINDOW_SECONDS * 1000;
const DEFAULT_PER_MINUTE = 300;
/**
 * The limit for registrations is a fifth of the limit for requests, because a phone registers once but fetches at each
 * change.
 */
const REQUESTS_PER_REGISTRATION = 5;

/**
 * Limits the requests per minute that this node accepts from phones for one pass, because each package costs a
 * signature. Counts per serial number and not per IP address, because phones share addresses. Callers must check the
 * token of a request before they count it.
 */
@Injectable()
export class PassRequestLimit {
  /**
   * The number of requests for each pass in the current minute. All passes share the same minute, so that one step
   * clears the map.
   */
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

  /** Counts a request for a pass or its updates. @throws RateLimited */
  take(serialNumber: string): void {
    this.count(serialNumber, this.policy);
  }

  /**
   * Counts registrations separately from fetches, so that fake devices cannot block a phone's updates. @throws
   * RateLimited
   */
  takeRegistration(serialNumber: string): void {
    this.count(`registration ${serialNumber}`, this.registrationPolicy);
  }

  private count(name: string, policy: RatePolicy): void {
    const { limit } = policy;
    if (limit === 0) return;
    const now = this.clock.now().getTime();
    // Also end the minute if the clock was set back.
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
