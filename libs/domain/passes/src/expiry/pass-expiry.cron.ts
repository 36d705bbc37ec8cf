import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database } from '@passwright/database';
import type { JobContext } from '@passwright/jobs';
import { PassChangeNotifier } from '../listeners/pass-change-notifier.service.js';
import { type DuePass, PassExpiryRepository } from './pass-expiry.repository.js';

/** Maximum duration of a run. The next run continues a minute later. */
const sliceMs = 30_000;
/** Number of due passes that one search returns. */
const foundAtOnce = 20_000;
/** Number of passes that expire in one transaction. */
const expiredAtOnce = 500;

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
    for (let expired = 1; expired > 0;) {
      const due = await this.repository.findDue(this.clock.now(), foundAtOnce);
      expired = 0;
      for (let from = 0; from < due.length; from += expiredAtOnce) {
        expired += await this.expireSome(due.slice(from, from + expiredAtOnce));
        if (this.clock.now().getTime() >= endsAt) return;
        signal.throwIfAborted();
      }
    }
  }

  private expireSome(due: readonly DuePass[]): Promise<number> {
    return this.database.transaction(async (tx) => {
      const { expired, seen } = await this.repository.expire(tx, due, this.clock.now());
      await this.notifier.passesChanged(tx, seen);
      return expired;
    });
  }
}
