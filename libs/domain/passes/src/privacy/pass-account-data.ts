import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountData, type AccountTable, type Pause } from '@passwright/accounts';
import { Clock } from '@passwright/core';
import { Database, Jobs } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { GoogleMarking } from '../google/google-marking.js';
import { DevicesLeftToMark } from '../updates/updates.jobs.js';

const voidedAtOnce = 1000;

const passes: AccountTable = {
  table: 'pass',
  key: ['template_id', 'id'],
  hidden: ['changed_in'],
  encryptedAs: 'pass',
  recordColumn: 'serial_number',
  staysUntilTold: true,
};

/** The data of an account in this lib. Rows of passes stay a while, so that phones and Google get empty, void passes. */
@Injectable()
export class PassAccountData implements OnModuleInit {
  constructor(
    private readonly data: AccountData,
    private readonly database: Database,
    private readonly google: GoogleMarking,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    const staysUntilTold = true;
    this.data.add({
      floor: 20,
      steps: [
        { table: 'pass_mail', key: ['id'], encryptedAs: 'mail' },
        { table: 'pass_mail_day', key: [] },
        {
          table: 'pass_mail_recipient',
          key: ['recipient_hash', 'sent_at', 'mail_id'],
          hidden: 'all',
        },
        { table: 'apple_log_line', key: ['serial_number', 'id'] },
        { table: 'apple_former_registration', key: ['serial_number', 'device_id'] },
        passes,
        { run: (accountId, pause) => this.voidAll(accountId, pause) },
        { table: 'pass_update_order', key: ['template_id', 'updated_at', 'pass_id'], hidden: 'all' },
        { table: 'apple_push_page', key: ['id'], hidden: 'all', staysUntilTold },
        { table: 'apple_push_halt', key: ['fingerprint'], hidden: 'all', staysUntilTold },
        {
          table: 'apple_registration',
          key: ['device_id', 'serial_number'],
          hidden: ['registered_in'],
          staysUntilTold,
        },
        {
          table: 'apple_device',
          key: ['id'],
          hidden: ['device_library_identifier', 'push_token', 'listed_in', 'push_number'],
          staysUntilTold,
        },
        { table: 'google_callback', key: ['nonce_hash'], hidden: 'all', staysUntilTold },
        { table: 'google_halt', key: ['fingerprint'], hidden: 'all', staysUntilTold },
        { table: 'google_resource', key: ['issuer_id', 'id'], hidden: ['sent_hash'], staysUntilTold },
        { table: 'deleted_pass', key: ['serial_number'], hidden: ['changed_in'], staysUntilTold },
      ],
      emptied: (tx, accountId) => this.tellWallets(tx, accountId),
    });
  }

  /** Turns all passes into tombstones, from which phones that still hold them get void ones. */
  private async voidAll(accountId: string, pause: Pause): Promise<void> {
    const some = () =>
      this.database.transaction((tx) =>
        tx.query<[{ voided: number }]>(voidPageSql, [accountId, voidedAtOnce, this.clock.now()]),
      );
    while ((await some())[0].voided === voidedAtOnce) pause();
  }

  /** One look at each device for each template that it has passes of, and one at all that is at Google. */
  private async tellWallets(tx: EntityManager, accountId: string): Promise<void> {
    const rows = await tx.query<{ templateId: string }[]>(
      'SELECT DISTINCT template_id AS "templateId" FROM apple_registration WHERE account_id = $1',
      [accountId],
    );
    const mark = rows.map((changed) => new DevicesLeftToMark({ accountId, changed, afterDeviceId: '' }));
    await this.jobs.addMany(tx, mark);
    await this.google.accountChanged(tx, accountId);
  }
}

export const voidPageSql = `
  WITH page AS MATERIALIZED (
    SELECT template_id, id FROM pass WHERE account_id = $1 ORDER BY account_id, template_id, id LIMIT $2
  ), gone AS (
    DELETE FROM pass p USING page WHERE p.account_id = $1 AND p.template_id = page.template_id AND p.id = page.id
    RETURNING p.serial_number, p.template_id, p.id, p.template_type, p.created_at, p.updated_at
  ), tombstone AS (
    INSERT INTO deleted_pass (account_id, serial_number, template_id, pass_id, type, issuer_name, deleted_at, created_at)
    SELECT $1, g.serial_number, g.template_id, g.id, g.template_type, t.issuer_name,
      greatest($3::timestamptz, g.updated_at + interval '1 second', t.updated_at + interval '1 second'), g.created_at
    FROM gone g JOIN template t ON t.account_id = $1 AND t.id = g.template_id
  )
  SELECT count(*)::integer AS voided FROM gone`;
