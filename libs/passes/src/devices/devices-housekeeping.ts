import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { Database, Scheduled } from '@passwright/database';

const DAY_MS = 24 * 60 * 60 * 1000;
const LINE_DAYS = 30;
const FORMER_DAYS = 90;

/** Deletes what is no longer of use to anyone who asks how a pass fares. */
@Injectable()
export class DevicesHousekeeping {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'apple-devices.delete-old', crontab: '41 3 * * *' })
  async deleteOld(): Promise<void> {
    const before = (days: number) => new Date(this.clock.now().getTime() - days * DAY_MS);
    await this.database.transaction(async (tx) => {
      await tx.query('DELETE FROM apple_log_line WHERE received_at < $1', [before(LINE_DAYS)]);
      await tx.query('DELETE FROM apple_former_registration WHERE left_at < $1', [before(FORMER_DAYS)]);
    });
  }
}
