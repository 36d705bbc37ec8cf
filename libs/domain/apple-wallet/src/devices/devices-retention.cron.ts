import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database, deleteInBatches } from '@passwright/database';
import { DeviceLogsRepository } from '../logs/device-logs.repository.js';
import { DeviceRegistrationsRepository } from './device-registrations.repository.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const LINE_DAYS = 30;
const FORMER_DAYS = 90;

/** Deletes old log lines and records of former registrations. */
@Injectable()
export class DevicesRetentionCron {
  constructor(
    private readonly database: Database,
    private readonly logs: DeviceLogsRepository,
    private readonly registrations: DeviceRegistrationsRepository,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'apple-devices.delete-old', crontab: '41 3 * * *' })
  async deleteOld(): Promise<void> {
    const now = this.clock.now().getTime();
    const before = (days: number) => new Date(now - days * DAY_MS);
    await deleteInBatches(this.database, (tx, limit) => this.logs.deleteOld(tx, before(LINE_DAYS), limit));
    await deleteInBatches(this.database, (tx, limit) =>
      this.registrations.deleteFormer(tx, before(FORMER_DAYS), limit),
    );
  }
}
