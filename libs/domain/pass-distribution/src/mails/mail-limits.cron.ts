import { Injectable } from '@nestjs/common';
import { Scheduled } from '@passwright/core';
import { MailLimitsService } from './mail-limits.service.js';

/** Deletes old recipients of mails every hour. */
@Injectable()
export class MailLimitsCron {
  constructor(private readonly limits: MailLimitsService) {}

  @Scheduled({ name: 'pass-mails.forget-recipients', crontab: '13 * * * *' })
  forget(): Promise<void> {
    return this.limits.forget();
  }
}
