import { Injectable } from '@nestjs/common';
import { UsageListener } from '@passwright/billing';
import { Listens } from '@passwright/core';

/**
 * Reports passes that have expired but whose expiry is not recorded yet. This takes about a minute, or longer if very
 * many passes expire together.
 */
@Listens(UsageListener)
@Injectable()
export class PassUsageListener extends UsageListener {
  /** Uses the condition of the index `pass_unnoticed_idx`, so that a count for one account reads only its own rows. */
  override expiredPasses(now: string): string {
    return `SELECT account_id, template_id FROM pass WHERE expires_at <= ${now} AND coalesce(voided_at, expired_at) IS NULL`;
  }
}
