import { Injectable } from '@nestjs/common';
import { AccountsService } from '@passwright/accounts';
import { ConcurrencyLimiter, type ConcurrencyLimits, requestOrigin, withoutSlot } from '@passwright/core';

/**
 * Limits each node to eight simultaneous requests that fetch images, at most half of them for one account. Each request
 * may hold five images of 5 MiB, so together they hold at most 200 MiB.
 */
@Injectable()
export class ImageRequests {
  static readonly limits: ConcurrencyLimits = {
    width: 8,
    maxWaitingPerKey: 50,
    maxWaiting: 400,
    rejection: 'Too many images of this account are being taken in at this moment; try again in a few seconds.',
  };

  private readonly limiter = new ConcurrencyLimiter(ImageRequests.limits);

  constructor(private readonly accounts: AccountsService) {}

  /**
   * Runs the task as soon as the limits allow it.
   * @param signal aborts the wait.
   * @throws RateLimited, NotReady
   */
  async run<T>(accountId: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const share = await this.accounts.shareOf(accountId);
    const gone = requestOrigin()?.gone;
    const ends = signal && gone ? AbortSignal.any([signal, gone]) : (signal ?? gone);
    return withoutSlot(() => this.limiter.run(share, task, ends));
  }
}
