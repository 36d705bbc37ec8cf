import { Injectable } from '@nestjs/common';
import { UsageListener } from '@passwright/billing';
import { Listens } from '@passwright/core';

/**
 * Reports passes that have expired but whose expiry no job has recorded yet: those of the last minute, or the rest of a
 * mass expiry.
 */
@Listens(UsageListener)
@Injectable()
export class PassUsageListener extends UsageListener {
  /**
   * Has the same condition as the index `pass_unnoticed_idx`, so that a count for one account reads only rows of that
   * account.
   */
  override expiredPasses(now: string): string {
    return `SELECT account_id, template_id FROM pass WHERE expires_at <= ${now} AND coalesce(voided_at, expired_at) IS NULL`;
  }
}
