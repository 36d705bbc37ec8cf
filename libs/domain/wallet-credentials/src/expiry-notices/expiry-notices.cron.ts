import { Injectable } from '@nestjs/common';
import { Scheduled } from '@passwright/core';
import { ExpiryNoticesService } from './expiry-notices.service.js';

/** Checks every hour for certificates that expire soon. */
@Injectable()
export class ExpiryNoticesCron {
  constructor(private readonly notices: ExpiryNoticesService) {}

  @Scheduled({ name: 'apple-certificates.notify-of-expiry', crontab: '23 * * * *' })
  notifyOfExpiry(): Promise<void> {
    return this.notices.notifyOfExpiry();
  }
}
