import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountData } from '@passwright/accounts';
import { Jobs } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { shownLineSql } from '../logs/shown-line.js';
import { DevicesLeftToMark } from './push.jobs.js';

/**
 * Registers the device data of an account for export and deletion. A deletion keeps the rows until phones have fetched
 * empty, void passes.
 */
@Injectable()
export class AppleAccountDataService implements OnModuleInit {
  constructor(
    private readonly data: AccountData,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    const staysUntilNotified = true;
    this.data.add({
      floor: 23,
      steps: [
        { table: 'apple_log_line', key: ['serial_number', 'id'], shownAs: { line: shownLineSql('own.line') } },
        { table: 'apple_former_registration', key: ['serial_number', 'device_id'] },
        { table: 'apple_push_page', key: ['id'], hidden: 'all', staysUntilNotified },
        {
          table: 'apple_registration',
          key: ['device_id', 'serial_number'],
          hidden: ['registered_in'],
          staysUntilNotified,
        },
        {
          table: 'apple_device',
          key: ['id'],
          hidden: ['device_library_identifier', 'push_token', 'listed_in', 'push_number'],
          staysUntilNotified,
        },
      ],
      emptied: (tx, accountId) => this.markDevices(tx, accountId),
    });
  }

  /** Adds one job for each template whose passes are on a device. */
  private async markDevices(tx: EntityManager, accountId: string): Promise<void> {
    const rows = await tx.query<{ templateId: string }[]>(
      'SELECT DISTINCT template_id AS "templateId" FROM apple_registration WHERE account_id = $1',
      [accountId],
    );
    const mark = rows.map((changed) => new DevicesLeftToMark({ accountId, changed, afterDeviceId: '' }));
    await this.jobs.addMany(tx, mark);
  }
}
