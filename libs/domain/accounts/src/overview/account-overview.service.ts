import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Listeners, ValidationFailed, type IfMatch, type Principal } from '@passwright/core';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../audit/audit-log.service.js';
import { changesBetween } from '../audit/changes-between.js';
import { toAccountDeletionResponse } from '../deletion/account-deletion.dto.js';
import { AccountDeletionRepository } from '../accounts/account-deletion.repository.js';
import { InvitesService } from '../invites/invites.service.js';
import type { AccountPatch, AccountResponse } from './account.dto.js';
import { AccountOverviewListener, type AccountOverviewParts } from './account-overview.listener.js';
import { AccountMembersService } from '../accounts/account-members.service.js';
import { requireSettings } from './account-etag.js';
import { AccountsRepository } from '../accounts/accounts.repository.js';

const nothingUsed: AccountOverviewParts = {
  usage: { passCreations: 0, activePasses: 0 },
  storage: { imageBytes: 0 },
  billing: { enterpriseConfig: {} },
};

/** Reads the overview of an account and changes its settings. */
@Injectable()
export class AccountOverviewService {
  private readonly listeners: Listeners<AccountOverviewListener>;

  constructor(
    private readonly accounts: AccountsRepository,
    private readonly members: AccountMembersService,
    private readonly invites: InvitesService,
    private readonly deletions: AccountDeletionRepository,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
    discovery: DiscoveryService,
  ) {
    this.listeners = new Listeners(discovery, AccountOverviewListener);
  }

  /** Returns the overview of an account. It contains invitations only for callers who may invite. */
  async read(caller: Principal): Promise<AccountResponse> {
    const { accountId, scopes } = caller;
    const [{ id, name, industry, isTest: test }, members, parts, invites, deletion] = await Promise.all([
      this.accounts.get(accountId),
      this.members.list(accountId),
      this.partsOf(accountId),
      scopes.includes('account:write') ? this.invites.listAll(caller) : [],
      this.deletions.find(accountId),
    ]);
    const { usage, storage, billing } = parts;
    const settings = { id, name, ...(industry !== null && { industry }), test };
    const shown = { ...settings, members, usage, storage, invites, billing };
    return deletion ? { ...shown, deletion: toAccountDeletionResponse(deletion) } : shown;
  }

  /** Changes the name and the industry. @throws ValidationFailed for a name that is null. @throws PreconditionFailed */
  async change(caller: Principal, patch: AccountPatch, ifMatch: IfMatch): Promise<AccountResponse> {
    if (patch.name === null) throw new ValidationFailed('name must not be null: an account needs one');
    await this.database.transaction((tx) => this.apply(tx, caller.accountId, patch, ifMatch));
    return this.read(caller);
  }

  private async partsOf(accountId: string): Promise<AccountOverviewParts> {
    const parts = await Promise.all(this.listeners.all.map((listener) => listener.describe(accountId)));
    return Object.assign({}, nothingUsed, ...parts) as AccountOverviewParts;
  }

  private async apply(tx: EntityManager, accountId: string, patch: AccountPatch, ifMatch: IfMatch): Promise<void> {
    const before = await this.accounts.getForUpdate(tx, accountId);
    requireSettings(ifMatch, before);
    const { name = before.name, industry = before.industry } = patch;
    const settings = { name: name ?? before.name, industry };
    const changes = changesBetween({ name: before.name, industry: before.industry }, settings);
    if (!changes) return;
    await this.accounts.update(tx, accountId, settings);
    const target = { kind: 'account', id: accountId };
    await this.auditLog.record(tx, { accountId, action: 'account.changed', target, ...changes });
  }
}
