import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import type { JobContext } from '@passwright/jobs';
import { GoogleCircuitBreaker } from './google-circuit-breaker.js';
import { GoogleResourcesRepository } from './google-resources.repository.js';
import { GoogleSender } from './google-sender.handlers.js';

/** The maximum number of objects that one look makes due. */
const wokenAtOnce = 1000;

/** Sends every minute the resources that a crash, a pause, an open circuit or an earlier version has left. */
@Injectable()
export class GoogleDueCron {
  /** The last account of the previous page, so that objects which are left again and again delay no other account. */
  private after: string | null = null;

  constructor(
    private readonly breaker: GoogleCircuitBreaker,
    private readonly sender: GoogleSender,
    private readonly resources: GoogleResourcesRepository,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'google-wallet.look', crontab: '* * * * *', lane: 'looks' })
  async look(context: JobContext): Promise<void> {
    await this.breaker.forget();
    this.after = await this.resources.wakeLeftMessages(this.after ?? '', wokenAtOnce, this.clock.now());
    await this.sender.sendAllDue(context);
  }
}
