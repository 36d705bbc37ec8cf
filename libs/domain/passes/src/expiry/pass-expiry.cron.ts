import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database } from '@passwright/database';
import type { JobContext } from '@passwright/jobs';
import { PassChangeNotifier } from '../listeners/pass-change-notifier.service.js';
import { PassExpiryRepository } from './pass-expiry.repository.js';

/** Maximum duration of a run. The next run continues a minute later. */
const sliceMs = 30_000;

/**
 * Records the expiry of each pass as a change, once across all nodes. Wallets are then notified and show the expiry.
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
