import { Injectable } from '@nestjs/common';
import { AccountsService } from '@passwright/accounts';
import { ConcurrencyLimiter, type ConcurrencyLimits, requestOrigin, withoutPlace } from '@passwright/core';

/**
 * Limits the number of requests whose images a node fetches and holds at the same time. Each request may hold five
 * images of 5 MiB, so eight requests hold at most 200 MiB. At most half of these requests may belong to one account.
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

  /** Runs the task when it is the account's turn. @param signal ends the wait. @throws RateLimited, NotReady */
  async run<T>(accountId: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const share = await this.accounts.shareOf(accountId);
    const gone = requestOrigin()?.gone;
    const ends = signal && gone ? AbortSignal.any([signal, gone]) : (signal ?? gone);
    return withoutPlace(() => this.limiter.run(share, task, ends));
  }
}
