import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import type { PassAddress } from './pass-links.js';
import { canExist } from './passes.repository.js';

const LOOKED_AT = 2000;

/** The place of a deleted pass among all, by age. */
export interface Tombstone {
  readonly deletedAt: Date;
  readonly accountId: string;
  readonly serialNumber: string;
}

/**
 * A page of old tombstones, of which those go that no device is registered for and that Google need not be told of. With
 * them goes what is known of their objects: these are empty and inactive since the pass was deleted.
 */
export const forgetPageSql = `
  WITH page AS MATERIALIZED (
    SELECT deleted_at, account_id, serial_number FROM deleted_pass
    WHERE deleted_at < $1 AND (deleted_at, account_id, serial_number) > ($2::timestamptz, $3, $4)
    ORDER BY deleted_at, account_id, serial_number LIMIT ${LOOKED_AT}
  ), gone AS (
    DELETE FROM deleted_pass d USING page p
    WHERE d.account_id = p.account_id AND d.serial_number = p.serial_number
      AND NOT EXISTS (SELECT FROM apple_registration r WHERE r.account_id = p.account_id AND r.serial_number = p.serial_number)
      AND NOT EXISTS (SELECT FROM google_resource g
        WHERE g.account_id = p.account_id AND g.serial_number = p.serial_number AND g.due_at IS NOT NULL)
    RETURNING d.account_id, d.serial_number
  ), resources AS (
    DELETE FROM google_resource g USING gone WHERE g.account_id = gone.account_id AND g.serial_number = gone.serial_number
  )
  SELECT deleted_at AS "deletedAt", account_id AS "accountId", serial_number AS "serialNumber" FROM page
  ORDER BY deleted_at, account_id, serial_number OFFSET ${LOOKED_AT - 1}`;

/** What is known of passes that were deleted. */
@Injectable()
export class DeletedPassesRepository {
  constructor(private readonly database: Database) {}

  /** Whether a pass of this address was deleted; there may be a new one by now. */
  async has(address: PassAddress): Promise<boolean> {
    if (!canExist(address)) return false;
    const { accountId, templateId, passId } = address;
    const rows = await this.database.reads.query<unknown[]>(
      'SELECT FROM deleted_pass WHERE account_id = $1 AND template_id = $2 AND pass_id = $3 LIMIT 1',
      [accountId, templateId, passId],
    );
    return rows.length > 0;
  }

  /** Lists the serial numbers of the deleted passes that had this address. */
  async serialNumbers(tx: EntityManager, { accountId, templateId, passId }: PassAddress): Promise<string[]> {
    const rows = await tx.query<{ serialNumber: string }[]>(
      `SELECT serial_number AS "serialNumber" FROM deleted_pass
       WHERE account_id = $1 AND template_id = $2 AND pass_id = $3`,
      [accountId, templateId, passId],
    );
    return rows.map(({ serialNumber }) => serialNumber);
  }

  /** Forgets those of a page that are of no more use, over all accounts. @returns where the next page begins; null at the end */
  async forgetPage(tx: EntityManager, before: Date, after: Tombstone | null): Promise<Tombstone | null> {
    const { deletedAt = '-infinity', accountId = '', serialNumber = '' } = after ?? {};
    const [last] = await tx.query<Tombstone[]>(forgetPageSql, [before, deletedAt, accountId, serialNumber]);
    return last ?? null;
  }
}
