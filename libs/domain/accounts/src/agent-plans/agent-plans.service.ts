import { Injectable } from '@nestjs/common';
import {
  Clock,
  decodeCursor,
  Forbidden,
  isDateTime,
  LimitExceeded,
  NotFound,
  type Page,
  type PageQuery,
  type Principal,
  randomId,
  readPage,
  Unauthorized,
} from '@passwright/core';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { AccountBeingDeleted } from '../accounts/account-being-deleted.js';
import { AccountMembersService } from '../accounts/account-members.service.js';
import { AuditLog } from '../audit/audit-log.service.js';
import { KeyMissing } from '../personal-data/key-missing.js';
import type { AgentPlan, PlannedChanges } from './agent-plan.entity.js';
import { type AgentPlanDetails, type AgentPlanResponse, toAgentPlanResponse } from './agent-plan.dto.js';
import { AgentPlansRepository, type PlannedCall, type ShownPlan } from './agent-plans.repository.js';

const MOST_PLANS = 100;
/**
 * The size in bytes of the values in an API key's plans at which the key cannot store another plan. The values of a
 * single plan take at most 1 MB.
 */
const MOST_BYTES = 10_000_000;
const planId = /^[A-Za-z0-9]{1,64}$/;

type LockTarget = (tx: EntityManager) => Promise<boolean>;

/** Stores the plans of supervised API keys, and lets users confirm or reject them. */
@Injectable()
export class AgentPlansService {
  constructor(
    private readonly repository: AgentPlansRepository,
    private readonly database: Database,
    private readonly members: AccountMembersService,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores a plan for a person to confirm, and deletes plans that can no longer be executed. Keeps a confirmed plan
   * with the same content for the call.
   * @param lockTarget locks a target that is a pass until `tx` ends; returns false if the pass was deleted. Runs before
   * plans are locked, because the deletion of a pass locks the pass first too.
   * @returns the time at which the plan expires.
   * @throws LimitExceeded.
   * @throws Unauthorized for a revoked key.
   * @throws NotFound if the pass was deleted
   */
  store(call: PlannedCall, plan: ShownPlan, expiresAt: Date, lockTarget: LockTarget): Promise<Date> {
    const now = this.clock.now();
    return this.database.transaction(async (tx) => {
      if (!(await lockTarget(tx))) throw new NotFound('The pass was deleted meanwhile.');
      if (!(await this.repository.lockKey(tx, call))) throw new Unauthorized('This API key no longer exists.');
      await this.repository.deleteOutdated(tx, call, plan);
      const { plans, bytes } = await this.repository.sizeOfOthers(tx, call, now);
      if (plans >= MOST_PLANS || bytes >= MOST_BYTES) {
        const limit = plans >= MOST_PLANS ? `${MOST_PLANS} plans` : `Plans with ${MOST_BYTES / 1_000_000} MB`;
        throw new LimitExceeded(`${limit} of this API key wait for a person, which is the limit.`);
      }
      return this.repository.put(tx, { ...call, id: randomId(), createdAt: now, expiresAt }, plan);
    });
  }

  /**
   * Returns whether a person has confirmed this call. `changed` means that the confirmed plan had other content, for
   * example fewer passes.
   */
  async confirmationOf(call: PlannedCall, plan: ShownPlan): Promise<'confirmed' | 'changed' | 'missing'> {
    const found = await this.repository.findConfirmation(call, plan, this.clock.now());
    if (!found) return 'missing';
    return found.isSame ? 'confirmed' : 'changed';
  }

  /** Deletes the plan of a call that was executed. */
  async finish(call: PlannedCall): Promise<void> {
    await this.database.transaction((tx) => this.repository.delete(tx, call));
  }

  /** Lists plans that have not expired, newest first. @throws ValidationFailed for a cursor of another list */
  list(accountId: string, query: PageQuery): Promise<Page<AgentPlanResponse>> {
    const now = this.clock.now();
    return readPage(query, {
      read: ({ limit, cursor }) => {
        const [createdAt, id] = decodeCursor(cursor, isDateTime, (text) => planId.test(text)) ?? [];
        const after = createdAt && id ? { createdAt: new Date(createdAt), id } : null;
        return this.repository.list(accountId, now, limit, after);
      },
      position: (plan) => [plan.createdAt.toISOString(), plan.id],
      toResponse: toAgentPlanResponse,
    });
  }

  /**
   * Returns a plan with the values that it changes.
   * @throws NotFound. @throws Forbidden for a caller who is not allowed to read the values. @throws KeyMissing
   */
  async get(caller: Principal, id: string): Promise<AgentPlanDetails> {
    const found = planId.test(id) ? await this.repository.find(caller.accountId, id, this.clock.now()) : null;
    const plan = requireFound(found, id);
    return { ...toAgentPlanResponse(plan), changes: await this.readableChanges(caller, plan) };
  }

  /**
   * Confirms a plan, so that the agent can execute it. A second confirmation changes nothing.
   * @throws NotFound. @throws Forbidden for a caller who is not allowed to read its values. @throws KeyMissing.
   * @throws AccountBeingDeleted. @throws Unauthorized for a user who has left the account meanwhile
   */
  async confirm(caller: Principal, id: string): Promise<AgentPlanResponse> {
    return this.database.transaction(async (tx) => {
      const now = this.clock.now();
      // Lock the member before the plan, in the order in which the removal of a user locks them.
      await this.members.holdMember(tx, caller);
      const found = await this.lock(tx, caller, id, now);
      await this.readableChanges(caller, found, tx);
      if (found.confirmedAt) return toAgentPlanResponse(found);
      await this.repository.confirm(tx, found, caller.id, now);
      await this.auditLog.record(tx, { ...eventOf(found, 'plan.confirmed'), after: recorded(found) });
      return toAgentPlanResponse({ ...found, confirmedAt: now });
    });
  }

  /**
   * Deletes a plan, even if it is confirmed. The agent can plan the call again. @throws NotFound. @throws
   * AccountBeingDeleted
   */
  async reject(caller: Principal, id: string): Promise<void> {
    await this.database.transaction(async (tx) =>
      this.rejectLocked(tx, await this.lock(tx, caller, id, this.clock.now())),
    );
  }

  /** Rejects the plans that a user has confirmed, except expired ones. */
  async rejectConfirmedBy(tx: EntityManager, accountId: string, uid: string): Promise<void> {
    const found = await this.repository.findConfirmedByForUpdate(tx, accountId, uid, this.clock.now());
    for (const plan of found) await this.rejectLocked(tx, plan);
  }

  private async rejectLocked(tx: EntityManager, plan: AgentPlan): Promise<void> {
    await this.repository.delete(tx, plan);
    await this.auditLog.record(tx, { ...eventOf(plan, 'plan.rejected'), before: recorded(plan) });
  }

  /** Locks a plan. @throws NotFound. @throws AccountBeingDeleted */
  private async lock(tx: EntityManager, caller: Principal, id: string, now: Date): Promise<AgentPlan> {
    const { accountId, accountDeletesAt } = caller;
    // The guard does not check this, because it lets users change their own data while an account is being deleted.
    if (accountDeletesAt) throw new AccountBeingDeleted(accountDeletesAt);
    return requireFound(planId.test(id) ? await this.repository.findForUpdate(tx, accountId, id, now) : null, id);
  }

  /**
   * Returns the values of a plan. Rejects callers who may not read its target, because users must see the values that
   * they confirm.
   */
  private async readableChanges({ scopes }: Principal, plan: AgentPlan, tx?: EntityManager): Promise<PlannedChanges> {
    const scope = plan.passId === null ? 'templates:read' : 'passes:read';
    if (!scopes.includes(scope)) throw new Forbidden(`You lack ${scope}, so you cannot see the values of this plan.`);
    const changes = await this.repository.changesOf(plan, tx);
    if (!changes) throw new KeyMissing();
    return changes;
  }
}

function requireFound(found: AgentPlan | null, id: string): AgentPlan {
  if (!found) throw new NotFound(`There is no plan "${id}"; it was executed or rejected, or has expired.`);
  return found;
}

function eventOf({ accountId, id }: AgentPlan, action: 'plan.confirmed' | 'plan.rejected') {
  return { accountId, action, target: { kind: 'plan', id } };
}

/** Returns the properties of a plan that the audit trail records. Omits the values. */
function recorded({ tool, keyId, templateId, passId, plan: { reaches } }: AgentPlan) {
  return { tool, keyId, ...(templateId !== null && { templateId }), ...(passId !== null && { passId }), reaches };
}
