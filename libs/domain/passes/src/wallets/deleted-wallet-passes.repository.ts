import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { Template } from '@passwright/templates';
import type { PassAddress } from '../addresses/pass-address.js';
import { bySerialNumber, lookUpSerialNumber } from './serial-look-up.js';

/** The data from which the package of a deleted pass is built. */
export interface DeletedPassRow {
  readonly address: PassAddress;
  readonly serialNumber: string;
  readonly type: Template['type'];
  readonly issuerName: string;
  readonly deletedAt: Date;
}

interface Columns {
  readonly account_id: string;
  readonly template_id: string;
  readonly pass_id: string;
  readonly type: Template['type'];
  readonly issuer_name: string;
  readonly deleted_at: Date;
}

const findDeleted = bySerialNumber(
  (condition) => `
  SELECT account_id, template_id, pass_id, type, issuer_name, deleted_at FROM deleted_pass WHERE ${condition}`,
);

/** Looks up the tombstones of deleted passes. */
@Injectable()
export class DeletedWalletPassesRepository {
  constructor(private readonly database: Database) {}

  /** @param serialNumber a serial number whose token was checked */
  async find(serialNumber: string): Promise<DeletedPassRow | null> {
    const [row] = await lookUpSerialNumber<Columns>(this.database, 'apple-deleted-pass', findDeleted, serialNumber);
    if (!row) return null;
    const { account_id: accountId, template_id: templateId, pass_id: passId } = row;
    return {
      address: { accountId, templateId, passId },
      serialNumber,
      type: row.type,
      issuerName: row.issuer_name,
      deletedAt: row.deleted_at,
    };
  }
}
