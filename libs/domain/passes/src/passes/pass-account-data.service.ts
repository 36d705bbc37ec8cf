import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountData, type AccountTable, type Pause } from '@passwright/accounts';
import { Clock } from '@passwright/core';
import { Database } from '@passwright/database';
import { joinTemplate } from '@passwright/templates';

const voidedAtOnce = 1000;

const passes: AccountTable = {
  table: 'pass',
  key: ['template_id', 'id'],
  hidden: ['changed_in'],
  encryptedAs: 'pass',
  recordColumn: 'serial_number',
  staysUntilNotified: true,
};

/**
 * Registers the passes of an account for export and deletion. A deletion keeps tombstones for a while, from which
 * wallets get empty, void passes.
 */
@Injectable()
export class PassAccountDataService implements OnModuleInit {
  constructor(
    private readonly data: AccountData,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.data.add({
      floor: 20,
      steps: [
        passes,
        { run: (accountId, pause) => this.voidAll(accountId, pause) },
        { table: 'pass_update_order', key: ['template_id', 'updated_at', 'pass_id'], hidden: 'all' },
        { table: 'deleted_pass', key: ['serial_number'], hidden: ['changed_in'], staysUntilNotified: true },
      ],
    });
  }

  /** Turns all passes into tombstones, so that phones that hold the passes get void versions. */
  private async voidAll(accountId: string, pause: Pause): Promise<void> {
    const some = () =>
      this.database.transaction((tx) =>
        tx.query<[{ found: number }]>(voidPageSql, [accountId, voidedAtOnce, this.clock.now()]),
      );
    while ((await some())[0].found === voidedAtOnce) pause();
  }
}

/**
 * SQL that replaces the first passes with tombstones. Counts the passes that it found, because another transaction may
 * delete some of them meanwhile, for example a second run of the same deletion.
 */
const voidPageSql = `
  WITH page AS MATERIALIZED (
    SELECT template_id, id FROM pass WHERE account_id = $1 ORDER BY account_id, template_id, id LIMIT $2
  ), gone AS (
    DELETE FROM pass p USING page WHERE p.account_id = $1 AND p.template_id = page.template_id AND p.id = page.id
    RETURNING p.serial_number, p.template_id, p.id, p.template_type, p.created_at, p.updated_at
  ), tombstone AS (
    INSERT INTO deleted_pass (account_id, serial_number, template_id, pass_id, type, issuer_name, deleted_at, created_at)
    SELECT $1, g.serial_number, g.template_id, g.id, g.template_type, t.issuer_name,
      greatest($3::timestamptz, g.updated_at + interval '1 second', t.updated_at + interval '1 second'), g.created_at
    FROM gone g ${joinTemplate('$1', 'g.template_id')}
  )
  SELECT count(*)::integer AS found FROM page`;
