import { Injectable } from '@nestjs/common';
import { AgentPlansService, type PlannedCall, type ShownPlan } from '@passwright/accounts';
import { Forbidden } from '@passwright/core';
import { McpOptions } from './mcp.options.js';
import { type Planned, PlansService } from './plans.service.js';

/** A plan as the agent sees it. */
export interface AgentsPlan {
  readonly planned: true;
  readonly does: string;
  readonly reaches?: Readonly<Record<string, number>>;
  readonly changes?: Readonly<Record<string, object>>;
  /** The state before the change. */
  readonly now?: object;
}

/** The maximum length of changes that a person reads. */
const MOST_TEXT = 20_000;

/** Makes the plans of supervised API keys wait for a person, who confirms them with a user's access token. */
@Injectable()
export class ConfirmationsService {
  /** The page on which people confirm plans. */
  readonly page: string;

  constructor(
    private readonly stored: AgentPlansService,
    private readonly plans: PlansService,
    { baseUrl }: McpOptions,
  ) {
    this.page = `${baseUrl}/workbench#/plans`;
  }

  /** Stores a plan for a person to confirm. @throws LimitExceeded */
  async ask(planned: Planned, plan: AgentsPlan, expiresAt: string): Promise<void> {
    await this.stored.store(this.callOf(planned), shownPlan(planned, plan), new Date(expiresAt));
  }

  /** @throws Forbidden if no person has confirmed exactly this call */
  async requireConfirmed(planned: Planned): Promise<void> {
    if (await this.stored.isConfirmed(this.callOf(planned))) return;
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

/** Leaves out the values of a pass, because names are encrypted at rest, and values that are too long to read. */
function shownPlan({ tool, input }: Planned, { does, reaches, changes = {} }: AgentsPlan): ShownPlan {
  const { templateId, passId } = input as { templateId?: string; passId?: string };
  const isWhole = tool === 'upsertTemplate' && JSON.stringify(changes).length <= MOST_TEXT;
  const names = Object.fromEntries(Object.keys(changes).map((name) => [name, {}]));
  return {
    does,
    ...(templateId !== undefined && { templateId }),
    ...(passId !== undefined && { passId }),
    ...(reaches && { reaches }),
    changes: isWhole ? changes : names,
  };
}
