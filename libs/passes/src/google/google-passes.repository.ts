import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { RenderType } from '@passwright/wallet-renderers';
import type { PassAddress } from '../passes/pass-links.js';
import { canExist } from '../passes/passes.repository.js';

/** What a save link needs to know of a pass. */
export interface LinkedPass {
  readonly accountId: string;
  readonly templateId: string;
  readonly passId: string;
  readonly serialNumber: string;
  readonly type: RenderType;
}

/** The look-up of every link. */
@Injectable()
export class GooglePassesRepository {
  constructor(private readonly database: Database) {}

  /** @param addresses of one account. @returns in their order; null for one that is not there */
  async find(addresses: readonly PassAddress[]): Promise<(LinkedPass | null)[]> {
    const asked = addresses.filter(canExist);
    const rows = await this.database.lookUp<LinkedPass>('google-passes', findPassesSql, [
      asked[0]?.accountId,
      asked.map(({ templateId }) => templateId),
      asked.map(({ passId }) => passId),
    ]);
    return addresses.map(
      ({ templateId, passId }) => rows.find((row) => row.templateId === templateId && row.passId === passId) ?? null,
    );
  }
}

export const findPassesSql = `
  SELECT p.account_id AS "accountId", p.template_id AS "templateId", p.id AS "passId",
    p.serial_number AS "serialNumber", p.template_type AS type
  FROM unnest($2::text[], $3::text[]) AS k(template_id, id)
  JOIN pass p ON p.account_id = $1 AND p.template_id = k.template_id AND p.id = k.id`;
