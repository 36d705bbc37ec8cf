import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database, maintainPartitions, type PartitionedTable } from '@passwright/database';
import { AccountsOptions } from '../accounts.options.js';

const DEFAULT_DAYS = 400;
const DAY_MS = 24 * 60 * 60 * 1000;

const table: PartitionedTable = { name: 'audit_event', key: 'at', each: 'month', ahead: 2 };

/** Deletes months of the audit trail that are older than the retention period. No other code deletes audit events. */
@Injectable()
export class AuditRetention {
  constructor(
    private readonly database: Database,
    private readonly options: AccountsOptions,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'audit-events.drop-old', crontab: '53 * * * *' })
  async dropOld(): Promise<void> {
    const now = this.clock.now();
    const { auditRetentionDays = DEFAULT_DAYS } = this.options;
    await maintainPartitions(this.database, table, {
      now,
      before: new Date(now.getTime() - auditRetentionDays * DAY_MS),
    });
  }
}
