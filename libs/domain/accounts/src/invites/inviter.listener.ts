import { Injectable } from '@nestjs/common';
import { Clock, Listens } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { AccountMemberListener } from '../accounts/account-member.listener.js';
import { AuditLog } from '../audit/audit-log.service.js';
import { InvitesRepository } from './invites.repository.js';

/** Revokes the open invitations of a user who may no longer invite. */
@Listens(AccountMemberListener)
@Injectable()
export class InviterListener extends AccountMemberListener {
  constructor(
    private readonly invites: InvitesRepository,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {
    super();
  }

  async adminRoleEnded(tx: EntityManager, accountId: string, uid: string): Promise<void> {
    for (const { id, isAdmin } of await this.invites.revokeAllBy(tx, accountId, uid, this.clock.now())) {
      const target = { kind: 'invite', id };
      await this.auditLog.record(tx, { accountId, action: 'invite.revoked', target, before: { isAdmin } });
    }
  }
}
