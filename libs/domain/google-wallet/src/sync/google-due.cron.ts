import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import type { JobContext } from '@passwright/jobs';
import { GoogleCircuitBreaker } from './google-circuit-breaker.js';
import { GoogleResourcesRepository } from './google-resources.repository.js';
import { GoogleSender } from './google-sender.handlers.js';

/** Sends every minute the resources that a retry, a pause or an open circuit has left. */
@Injectable()
export class GoogleDueCron {
  constructor(
    private readonly breaker: GoogleCircuitBreaker,
    private readonly sender: GoogleSender,
    private readonly resources: GoogleResourcesRepository,
    private readonly clock: Clock,
  ) {}

  /** Writes at once the resources that a process had claimed that has died. */
  @Scheduled({ name: 'google-wallet.end-dead-claims', after: 'process died', lane: 'looks' })
  async endDeadClaims(context: JobContext): Promise<void> {
    await this.resources.endDeadClaims(this.clock.now());
    await this.sender.sendAllDue(context);
  }

  @Scheduled({ name: 'google-wallet.look', crontab: '* * * * *', lane: 'looks' })
  async look(context: JobContext): Promise<void> {
    await this.breaker.forget();
    await this.sender.sendAllDue(context);
  }
}
