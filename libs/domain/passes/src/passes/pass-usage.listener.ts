import { Injectable } from '@nestjs/common';
import { UsageListener } from '@passwright/billing';
import { Listens } from '@passwright/core';

/** Tells usage which passes have expired without a job having noted it: a minute's, or the rest of a mass expiry. */
@Listens(UsageListener)
@Injectable()
export class PassUsageListener extends UsageListener {
  /** Names the condition of `pass_unnoticed_idx`, so that an account reads its own rows alone. */
  override expiredPasses(now: string): string {
    return `SELECT account_id, template_id FROM pass WHERE expires_at <= ${now} AND coalesce(voided_at, expired_at) IS NULL`;
  }
}
