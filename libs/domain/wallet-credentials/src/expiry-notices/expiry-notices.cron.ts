import { Injectable } from '@nestjs/common';
import { Scheduled } from '@passwright/core';
import { ExpiryNoticesService } from './expiry-notices.service.js';

/** Checks every hour for certificates that expire soon. */
@Injectable()
export class ExpiryNoticesCron {
  constructor(private readonly notices: ExpiryNoticesService) {}

  @Scheduled({ name: 'apple-certificates.tell-of-expiry', crontab: '23 * * * *' })
  tellOfExpiry(): Promise<void> {
    return this.notices.tellOfExpiry();
  }
}
