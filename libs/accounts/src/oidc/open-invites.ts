import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { AccountMembersService, mostAccounts } from '../accounts/account-members.service.js';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Invite } from '../invites/invite.entity.js';
import { InvitesRepository } from '../invites/invites.repository.js';

/** Invitations that are as good as accepted when their address is proven to be the user's: the code has no more to say. */
@Injectable()
export class OpenInvites {
  constructor(
    private readonly repository: InvitesRepository,
    private readonly members: AccountMembersService,
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** Those of a proven address, whose accounts are held until the transaction ends: before any user of it is. */
  async lock(tx: EntityManager, email: string): Promise<Invite[]> {
    const invites = await this.repository.listOpenOf(tx, email, this.clock.now(), mostAccounts);
    for (const { accountId } of invites) await this.members.lock(tx, accountId);
    return invites;
  }

  /** Accepts those that nobody has accepted, withdrawn or replaced while the locks were waited for. */
  async accept(tx: EntityManager, uid: string, invites: readonly Invite[]): Promise<void> {
    for (const invite of invites) {
      if (!(await this.repository.end(tx, invite, 'accepted', this.clock.now()))) continue;
      const { accountId, id, isAdmin } = invite;
      const isNew = await this.members.join(tx, accountId, uid, { isAdmin });
      await this.trail.record(tx, {
        accountId,
        action: 'invite.accepted',
        target: { kind: 'invite', id },
        after: { uid, ...(isNew && { isAdmin }) },
        actor: { kind: 'user', id: uid },
      });
    }
  }
}
