import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { Usage } from './usage.service.js';

/** Every query on the counters. */
@Injectable()
export class UsageRepository {
  constructor(private readonly database: Database) {}

  /** As of `now`, all of it at one moment. */
  async now(accountId: string, now: Date): Promise<Usage> {
    const [row] = await this.database.lookUp<{ created: string; active: string }>('usage-now', usageNowSql, [
      accountId,
      now,
    ]);
    return { passCreations: Number(row?.created), activePasses: Number(row?.active) };
  }
}

/**
 * What has expired and is not noted yet is found over all accounts: it is what the job that notes it has yet to do, one
 * minute's at most. Apart, since in one statement with the account any of its indexes may look as good.
 */
export const usageNowSql = `
  WITH unnoticed AS MATERIALIZED (
    SELECT account_id, template_id, voided_at FROM pass WHERE expires_at <= $2 AND expired_at IS NULL
  )
  SELECT
    (SELECT coalesce(sum(c.created), 0) FROM (SELECT) AS one
       LEFT JOIN billing b ON b.account_id = $1
       CROSS JOIN billing_period_start(b.current_period_start, b.period, $2) AS period_start
       JOIN pass_creation c ON c.account_id = $1 AND c.counted_from BETWEEN period_start AND $2) AS created,
    (SELECT coalesce(sum(a.active), 0) FROM active_pass a
       JOIN template t ON t.account_id = a.account_id AND t.id = a.template_id
       WHERE a.account_id = $1 AND t.archived_at IS NULL)
    - (SELECT count(*) FROM unnoticed u JOIN template t ON t.account_id = u.account_id AND t.id = u.template_id
       WHERE u.account_id = $1 AND u.voided_at IS NULL AND t.archived_at IS NULL) AS active`;
