import { Injectable } from '@nestjs/common';
import type { Principal } from '@passwright/core';
import { Database } from '@passwright/database';
import { Jobs } from '@passwright/jobs';
import { SelfServiceOptions } from '../self-service.options.js';
import { AccountMembersService } from '../accounts/account-members.service.js';
import { CredentialThrottle } from '../attempts/credential-throttle.service.js';
import { type AccountDeletionResponse, toAccountDeletionResponse } from './account-deletion.dto.js';
import type { AccountDeletion } from '../accounts/account-deletion.entity.js';
import { AccountDeletionDue } from './account-deletion.jobs.js';
import { DeletionProof } from './deletion-proof.service.js';
import { DeletionSchedule } from './deletion-schedule.service.js';

const defaultDelayDays = 7;

/** Requests and cancels the deletion of accounts. */
@Injectable()
export class AccountDeletionService {
  constructor(
    private readonly members: AccountMembersService,
    private readonly proof: DeletionProof,
    private readonly throttle: CredentialThrottle,
    private readonly schedule: DeletionSchedule,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly options: SelfServiceOptions,
  ) {}

  /**
   * Requests the deletion of an admin's account, which begins after a delay. A repeated request changes nothing.
   * @throws Forbidden, ValidationFailed, PasswordWrong, RateLimited
   */
  async request(caller: Principal, password: string | null, ip: string | undefined): Promise<AccountDeletionResponse> {
    await this.database.transaction((tx) => this.members.lockAsAdmin(tx, caller));
    await this.proof.require(caller, password, ip);
    await this.throttle.countDeletion(caller.accountId);
    const deletion = await this.database.transaction(async (tx) => {
      await this.members.lockAsAdmin(tx, caller);
      return this.schedule.add(tx, caller.accountId, caller.id, this.options.deletionDelayDays ?? defaultDelayDays);
    });
    return toAccountDeletionResponse(deletion);
  }

  /**
   * Requests the deletion for the operator.
   * @param atOnce skips the delay, even of a deletion that is already scheduled
   * @throws NotFound
   */
  async requestAsOperator(accountId: string, atOnce: boolean): Promise<AccountDeletion> {
    return this.database.transaction(async (tx) => {
      await this.members.lock(tx, accountId);
      const delayDays = atOnce ? 0 : (this.options.deletionDelayDays ?? defaultDelayDays);
      const deletion = await this.schedule.add(tx, accountId, 'operator', delayDays);
      if (atOnce) await this.jobs.add(tx, new AccountDeletionDue({ accountId }));
      return deletion;
    });
  }

  /**
   * Cancels the deletion of the caller's account. @throws Forbidden. @throws NotFound if no deletion was requested.
   * @throws InvalidTransition if the deletion has begun
   */
  async withdraw(caller: Principal): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.members.lockAsAdmin(tx, caller);
      await this.schedule.remove(tx, caller.accountId);
    });
  }

  /** Cancels the deletion for the operator. */
  async withdrawAsOperator(accountId: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.members.lock(tx, accountId);
      await this.schedule.remove(tx, accountId);
    });
  }
}
