import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { Template } from '@passwright/templates';
import type { PassAddress } from '../passes/pass-links.js';

/** What the package of a deleted pass is made of, but for what the template contributes. */
export interface DeletedPassRow {
  readonly address: PassAddress;
  readonly serialNumber: string;
  readonly type: Template['type'];
  readonly issuerName: string;
  readonly deletedAt: Date;
  /** The version of its template; null when that is gone too. */
  readonly template: Pick<Template, 'createdAt' | 'revision'> | null;
}

interface Columns {
  readonly account_id: string;
  readonly template_id: string;
  readonly pass_id: string;
  readonly type: Template['type'];
  readonly issuer_name: string;
  readonly deleted_at: Date;
  readonly created_at: Date | null;
  readonly revision: number | null;
}

const findDeleted = `
  SELECT x.account_id, x.template_id, x.pass_id, x.type, x.issuer_name, x.deleted_at, t.created_at, t.revision
  FROM deleted_pass x LEFT JOIN template t ON t.account_id = x.account_id AND t.id = x.template_id
  WHERE x.serial_number = $1`;

/** The look-up of what is left of deleted passes. */
@Injectable()
export class DeletedPackagesRepository {
  constructor(private readonly database: Database) {}

  /** @param serialNumber one that came with its token */
  async find(serialNumber: string): Promise<DeletedPassRow | null> {
    const [row] = await this.database.lookUp<Columns>('apple-deleted-pass', findDeleted, [serialNumber]);
    if (!row) return null;
    const { account_id: accountId, template_id: templateId, pass_id: passId, created_at, revision } = row;
    return {
      address: { accountId, templateId, passId },
      serialNumber,
      type: row.type,
      issuerName: row.issuer_name,
      deletedAt: row.deleted_at,
      template: created_at && revision !== null ? { createdAt: created_at, revision } : null,
    };
  }
}
