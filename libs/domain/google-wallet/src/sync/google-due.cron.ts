import { Injectable } from '@nestjs/common';
import { Scheduled } from '@passwright/core';
import type { JobContext } from '@passwright/jobs';
import { GoogleCircuitBreaker } from './google-circuit-breaker.js';
import { GoogleSender } from './google-sender.handlers.js';

/** Sends every minute the resources that a crash, a pause or an open circuit has left. */
@Injectable()
export class GoogleDueCron {
  constructor(
    private readonly breaker: GoogleCircuitBreaker,
    private readonly sender: GoogleSender,
  ) {}

  @Scheduled({ name: 'google-wallet.look', crontab: '* * * * *', lane: 'looks' })
  async look(context: JobContext): Promise<void> {
    await this.breaker.forget();
    await this.sender.sendAllDue(context);
  }
}
