import { Injectable } from '@nestjs/common';
import { AgentPlansService, type PlannedCall, type ShownPlan } from '@passwright/accounts';
import { Forbidden } from '@passwright/core';
import { IssuedPassesService } from '@passwright/passes';
import { McpOptions } from './mcp.options.js';
import { type Planned, PlanTokensService } from './plan-tokens.service.js';

/** The part of a plan that the agent sees. */
export interface AgentsPlan {
  readonly planned: true;
  readonly does: string;
  readonly reaches?: Readonly<Record<string, number>>;
  readonly changes?: Readonly<Record<string, object>>;
  /** The state before the change. */
  readonly now?: object;
}

/** Stores the plans of supervised keys until a person confirms them with a user's access token. */
@Injectable()
export class ConfirmationsService {
  /** The page on which people confirm plans. */
  readonly page: string;

  constructor(
    private readonly stored: AgentPlansService,
    private readonly plans: PlanTokensService,
    private readonly passes: IssuedPassesService,
    { baseUrl }: McpOptions,
  ) {
    this.page = `${baseUrl}/workbench#/plans`;
  }

  /**
   * Stores a plan for a person to confirm.
   * @returns the expiry time of the plan
   * @throws LimitExceeded.
   * @throws NotFound if the pass was deleted meanwhile
   */
  ask(planned: Planned, plan: AgentsPlan): Promise<Date> {
    const { accountId } = planned.principal;
    const shown = shownPlan(planned, plan);
    const { templateId, passId } = shown;
    return this.stored.store(this.callOf(planned), shown, this.plans.expiryOf(planned), async (tx) => {
      if (templateId === undefined || passId === undefined) return true;
      return (await this.passes.lock(tx, { accountId, templateId, passId })) !== null;
    });
  }

  /**
   * @param plan what the call would do now
   * @throws Forbidden if no person has confirmed exactly this call, or if its effect has changed
   */
  async requireConfirmed(planned: Planned, plan: AgentsPlan): Promise<void> {
    const state = await this.stored.confirmationOf(this.callOf(planned), shownPlan(planned, plan));
    if (state === 'confirmed') return;
    if (state === 'changed') {
      throw new Forbidden(
        'The call would now reach other passes or devices than a person has confirmed: call again without planToken, ' +
          `and ask the person you work for to confirm the new plan at ${this.page}.`,
      );
    }
    throw new Forbidden(
      `No person has confirmed this plan: ask the person you work for to confirm it at ${this.page}, then call again ` +
        'with the same planToken.',
    );
  }

  /** Deletes the plan of a call that was executed. */
  finish(planned: Planned): Promise<void> {
    return this.stored.finish(this.callOf(planned));
  }

  private callOf(planned: Planned): PlannedCall {
    const { accountId, id } = planned.principal;
    return { accountId, keyId: id, tool: planned.tool, callHash: this.plans.callHash(planned) };
  }
}

/** Returns the part of a plan that a person sees. */
function shownPlan({ input, etag }: Planned, { does, reaches, changes = {} }: AgentsPlan): ShownPlan {
  const { templateId, passId } = input as { templateId?: string; passId?: string };
  return {
    does,
    ...(templateId !== undefined && { templateId }),
    ...(passId !== undefined && { passId }),
    ...(reaches && { reaches }),
    changed: Object.keys(changes),
    changes,
    state: etag,
  };
}
