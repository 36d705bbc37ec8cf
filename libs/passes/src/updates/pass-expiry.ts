import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { Database, type JobContext, Jobs, Scheduled } from '@passwright/database';
import { GoogleMarking } from '../google/google-marking.js';
import { PassExpiryRepository } from './pass-expiry.repository.js';
import { PassChanged } from './updates.jobs.js';

/** How long one run may take; the next, a minute later, goes on. */
const sliceMs = 30_000;

/**
 * Makes the passing of an expiry a change of the pass, once over all nodes, so that wallets learn of it: they say
 * so from then on.
 */
@Injectable()
export class PassExpiry {
  constructor(
    private readonly database: Database,
    private readonly repository: PassExpiryRepository,
    private readonly google: GoogleMarking,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'passes.expire', crontab: '* * * * *' })
  async expire({ signal }: JobContext): Promise<void> {
    const endsAt = this.clock.now().getTime() + sliceMs;
    while ((await this.expireSome()) > 0 && this.clock.now().getTime() < endsAt) signal.throwIfAborted();
  }

  private expireSome(): Promise<number> {
    return this.database.transaction(async (tx) => {
      const { expired, seen, installed } = await this.repository.expire(tx, this.clock.now());
      await this.jobs.addMany(
        tx,
        installed.map((serial) => new PassChanged(serial)),
      );
      await this.google.passesChanged(tx, seen);
      return expired;
    });
  }
}
