import { Injectable } from '@nestjs/common';
import { Listens } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { AccountMemberListener } from '../accounts/account-member.listener.js';
import { InvitesService } from './invites.service.js';

/** Revokes the open invitations of a user who may no longer invite. */
@Listens(AccountMemberListener)
@Injectable()
export class InviterListener extends AccountMemberListener {
  constructor(private readonly invites: InvitesService) {
    super();
  }

  adminRoleEnded(tx: EntityManager, accountId: string, uid: string): Promise<void> {
    return this.invites.revokeAllBy(tx, accountId, uid);
  }
}
