import { Injectable } from '@nestjs/common';
import { AuditLog } from '@passwright/accounts';
import type { EntityManager } from 'typeorm';
import type { PassAddress } from '../addresses/pass-address.js';
import type { Pass } from '../content/pass.entity.js';

/**
 * The actions on passes that the audit log records. It does not record the creation and updates of a pass, because the
 * pass itself shows them.
 */
export type PassEvent = 'voided' | 'unvoided' | 'redeemed' | 'deleted' | 'sent';

/** Records callers' actions on passes. Never records pass content. */
@Injectable()
export class PassAuditLog {
  constructor(private readonly auditLog: AuditLog) {}

  async record(tx: EntityManager, address: PassAddress, event: PassEvent, after?: object): Promise<void> {
    const { accountId, templateId, passId } = address;
    const target = { kind: 'pass', id: `${templateId}:${passId}` };
    await this.auditLog.record(tx, { accountId, action: `pass.${event}`, target, ...(after && { after }) });
  }

  /** @param before the pass's `voidedAt` before the change */
  async recordVoiding(tx: EntityManager, before: Date | null, pass: Pass): Promise<void> {
    const { accountId, templateId, id: passId, voidedAt } = pass;
    if ((before === null) === (voidedAt === null)) return;
    await this.record(tx, { accountId, templateId, passId }, voidedAt ? 'voided' : 'unvoided');
  }
}
