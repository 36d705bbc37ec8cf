import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database } from '@passwright/database';
import type { JobContext } from '@passwright/jobs';
import { PassChangeNotifier } from '../listeners/pass-change-notifier.service.js';
import { PassExpiryRepository } from './pass-expiry.repository.js';

/** How long one run may take; the next, a minute later, goes on. */
const sliceMs = 30_000;

/**
 * Makes the passing of an expiry a change of the pass, once over all nodes, so that wallets learn of it: they say
 * so from then on.
 */
@Injectable()
export class PassExpiryCron {
  constructor(
    private readonly database: Database,
    private readonly repository: PassExpiryRepository,
    private readonly notifier: PassChangeNotifier,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'passes.expire', crontab: '* * * * *' })
  async expire({ signal }: JobContext): Promise<void> {
    const endsAt = this.clock.now().getTime() + sliceMs;
    while ((await this.expireSome()) > 0 && this.clock.now().getTime() < endsAt) signal.throwIfAborted();
  }

  private expireSome(): Promise<number> {
    return this.database.transaction(async (tx) => {
      const { expired, seen } = await this.repository.expire(tx, this.clock.now());
      await this.notifier.passesChanged(tx, seen);
      return expired;
    });
  }
}
