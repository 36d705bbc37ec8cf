import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { RenderType } from '@passwright/wallet-renderers';
import { joinTemplate } from '@passwright/templates';
import { canExist, type PassAddress } from '../addresses/pass-address.js';

/** The data of a pass that a save link needs. */
export interface LinkedPass {
  readonly accountId: string;
  readonly templateId: string;
  readonly passId: string;
  readonly serialNumber: string;
  readonly type: RenderType;
  /** True if the pass is void, redeemed or expired, or its template is archived. */
  readonly hasEnded: boolean;
}

/** Looks up the passes of a save link. */
@Injectable()
export class LinkedPassesRepository {
  constructor(private readonly database: Database) {}

  /**
   * @param addresses addresses of passes of one account. @returns the passes in order; null for a pass that does not
   * exist
   */
  async find(addresses: readonly PassAddress[], now: Date): Promise<(LinkedPass | null)[]> {
    const asked = addresses.filter(canExist);
    const rows = await this.database.lookUp<LinkedPass>('google-passes', findPassesSql, [
      asked[0]?.accountId,
      asked.map(({ templateId }) => templateId),
      asked.map(({ passId }) => passId),
      now,
    ]);
    return addresses.map(
      ({ templateId, passId }) => rows.find((row) => row.templateId === templateId && row.passId === passId) ?? null,
    );
  }
}

export const findPassesSql = `
  SELECT p.account_id AS "accountId", p.template_id AS "templateId", p.id AS "passId",
    p.serial_number AS "serialNumber", p.template_type AS type,
    p.voided_at IS NOT NULL OR p.redeemed_at IS NOT NULL OR t.archived_at IS NOT NULL OR COALESCE(p.expires_at <= $4, false)
      AS "hasEnded"
  FROM unnest($2::text[], $3::text[]) AS k(template_id, id)
  JOIN pass p ON p.account_id = $1 AND p.template_id = k.template_id AND p.id = k.id
  ${joinTemplate('$1', 'p.template_id')}`;
