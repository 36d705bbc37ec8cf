import { Injectable } from '@nestjs/common';
import { Listens } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { AccountMemberListener } from '../accounts/account-member.listener.js';
import { AgentPlansService } from './agent-plans.service.js';

/** Rejects the plans that a user has confirmed when the user leaves the account. */
@Listens(AccountMemberListener)
@Injectable()
export class ConfirmerListener extends AccountMemberListener {
  constructor(private readonly plans: AgentPlansService) {
    super();
  }

  /** Keeps confirmations, because users who are not admins may confirm plans too. */
  adminRoleEnded(): Promise<void> {
    return Promise.resolve();
  }

  override userLeft(tx: EntityManager, accountId: string, uid: string): Promise<void> {
    return this.plans.rejectConfirmedBy(tx, accountId, uid);
  }
}
