import { Injectable } from '@nestjs/common';
import { Scheduled } from '@passwright/core';
import type { JobContext } from '@passwright/jobs';
import { PersonalData } from './personal-data.service.js';

/** Creates the missing keys of accounts every five minutes. */
@Injectable()
export class AccountKeysCron {
  constructor(private readonly keys: PersonalData) {}

  @Scheduled({ name: 'personal-data.create-keys', crontab: '*/5 * * * *' })
  createKeys(context: JobContext): Promise<void> {
    return this.keys.createKeys(context);
  }
}
