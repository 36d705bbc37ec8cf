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
  toPage,
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
   * Stores a plan for a person to confirm. Planning the same call again keeps its id.
   * @returns the id of the plan. @throws LimitExceeded
   */
  store(call: PlannedCall, plan: ShownPlan, expiresAt: Date): Promise<string> {
    const now = this.clock.now();
    return this.database.transaction(async (tx) => {
      if ((await this.repository.count(tx, call.accountId, call.keyId, now)) >= MOST_PLANS) {
        throw new LimitExceeded(`${MOST_PLANS} plans of this API key wait for a person, which is the limit.`);
      }
      return this.repository.put(tx, { ...call, id: randomId(), plan, createdAt: now, expiresAt });
    });
  }

  /** Returns true if a person has confirmed exactly this call, and the confirmation has not expired. */
  async isConfirmed(call: PlannedCall): Promise<boolean> {
    const plan = await this.repository.find(call, this.clock.now());
    return (plan?.confirmedAt ?? null) !== null;
  }

  /** Deletes the plan of a call that was executed. */
  async finish(call: PlannedCall): Promise<void> {
    await this.database.transaction((tx) => this.repository.delete(tx, call));
  }

  /** Lists plans that have not expired, newest first. @throws ValidationFailed for a cursor of another list */
  async list(accountId: string, { limit, cursor }: PageQuery): Promise<Page<AgentPlanResponse>> {
    const [createdAt, id] = decodeCursor(cursor, isDateTime, (text) => planId.test(text)) ?? [];
    const after = createdAt && id ? { createdAt: new Date(createdAt), id } : null;
    const plans = await this.repository.list(accountId, this.clock.now(), limit + 1, after);
    return toPage(plans, limit, (plan) => [plan.createdAt.toISOString(), plan.id], toAgentPlanResponse);
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
