import { Injectable } from '@nestjs/common';
import {
  Clock,
  decodeCursor,
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
import { AuditLog } from '../audit/audit-log.service.js';
import type { ShownPlan } from './agent-plan.entity.js';
import { type AgentPlanResponse, toAgentPlanResponse } from './agent-plan.dto.js';
import { AgentPlansRepository, type PlannedCall } from './agent-plans.repository.js';

const MOST_PLANS = 100;
const planId = /^[A-Za-z0-9]{1,64}$/;

/** Stores the plans of supervised API keys until a person has confirmed them. */
@Injectable()
export class AgentPlansService {
  constructor(
    private readonly repository: AgentPlansRepository,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores a plan for a person to confirm, and deletes plans that have become useless. Planning the same call again
   * keeps a confirmation, but does not prolong it.
   * @returns the time at which the plan expires. @throws LimitExceeded. @throws Unauthorized for a revoked key
   */
  store(call: PlannedCall, plan: ShownPlan, expiresAt: Date): Promise<Date> {
    const now = this.clock.now();
    return this.database.transaction(async (tx) => {
      if (!(await this.repository.lockKey(tx, call))) throw new Unauthorized('This API key no longer exists.');
      await this.repository.deleteOutdated(tx, call, plan);
      if ((await this.repository.countOthers(tx, call, now)) >= MOST_PLANS) {
        throw new LimitExceeded(`${MOST_PLANS} plans of this API key wait for a person, which is the limit.`);
      }
      return this.repository.put(tx, { ...call, id: randomId(), plan, createdAt: now, expiresAt });
    });
  }

  /**
   * Returns the state of the confirmation of exactly this call: `changed` if a person has confirmed a plan that said
   * something else, for example a smaller number of passes.
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

  /** Confirms a plan, so that the agent can execute it. A second confirmation changes nothing. @throws NotFound */
  async confirm(caller: Principal, id: string): Promise<AgentPlanResponse> {
    const { accountId } = caller;
    const missing = new NotFound(`There is no plan "${id}"; it was executed, or has expired.`);
    if (!planId.test(id)) throw missing;
    return this.database.transaction(async (tx) => {
      const now = this.clock.now();
      const found = await this.repository.findForUpdate(tx, accountId, id, now);
      if (!found) throw missing;
      if (found.confirmedAt) return toAgentPlanResponse(found);
      await this.repository.confirm(tx, found, caller.id, now);
      const { tool, plan } = found;
      const { templateId, passId, reaches } = plan;
      const after = { tool, keyId: found.keyId, templateId, passId, reaches };
      await this.auditLog.record(tx, { accountId, action: 'plan.confirmed', target: { kind: 'plan', id }, after });
      return toAgentPlanResponse({ ...found, confirmedAt: now });
    });
  }
}
