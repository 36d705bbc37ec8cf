import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import type { JobContext } from '@passwright/jobs';
import { ChangedResourcesRepository } from './changed-resources.repository.js';
import { GoogleCircuitBreaker } from './google-circuit-breaker.js';
import { GoogleSender } from './google-sender.handlers.js';

/** Maximum number of objects that one run makes due. */
const wokenAtOnce = 1000;

/**
 * Writes due resources to Google every minute: those left after a crash, a pause, an open circuit, or a write by a node
 * of an earlier version.
 */
@Injectable()
export class GoogleDueCron {
  /**
   * The last account of the previous run. The next run continues after it, so that one account with many unsent objects
   * does not delay other accounts.
   */
  private after: string | null = null;

  constructor(
    private readonly breaker: GoogleCircuitBreaker,
    private readonly sender: GoogleSender,
    private readonly changed: ChangedResourcesRepository,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'google-wallet.look', crontab: '* * * * *', lane: 'looks' })
  async look(context: JobContext): Promise<void> {
    await this.breaker.forget();
    this.after = await this.changed.wakeLeftMessages(this.after ?? '', wokenAtOnce, this.clock.now());
    await this.sender.sendAllDue(context);
  }
}
