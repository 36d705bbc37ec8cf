import { ApiProperty } from '@nestjs/swagger';
import type { AgentPlan, ShownChange } from './agent-plan.entity.js';

/** A call that an agent has planned with a supervised API key. */
export class AgentPlanResponse {
  @ApiProperty({ example: '4fzTm0Jd8xYc2LqWvB7RkP' })
  id!: string;

  @ApiProperty({ description: 'The API key of the agent.', example: '4fzTm0Jd8xYc2LqWvB7RkP' })
  keyId!: string;

  @ApiProperty({ description: 'The tool that the agent wants to call.', example: 'upsertTemplate' })
  tool!: string;

  @ApiProperty({ description: 'The effect of the call, with the numbers of passes and devices that it reaches.' })
  does!: string;

  @ApiProperty({ type: String, nullable: true })
  templateId!: string | null;

  @ApiProperty({ type: String, nullable: true })
  passId!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'The numbers of `passes`, `appleDevices` and `googlePasses` that change.',
  })
  reaches!: Readonly<Record<string, number>>;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'object' },
    description: 'The changed properties with their values: `from` and `to`, or `isLong`. Empty for a pass.',
  })
  changes!: Readonly<Record<string, ShownChange>>;

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  expiresAt!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Null: not confirmed.' })
  confirmedAt!: string | null;
}

/** Returns a plan without the hash of its call. */
export function toAgentPlanResponse(stored: AgentPlan): AgentPlanResponse {
  const { id, keyId, tool, plan, createdAt, expiresAt, confirmedAt } = stored;
  return {
    id,
    keyId,
    tool,
    does: plan.does,
    templateId: plan.templateId ?? null,
    passId: plan.passId ?? null,
    reaches: plan.reaches ?? {},
    changes: plan.changes ?? {},
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    confirmedAt: confirmedAt?.toISOString() ?? null,
  };
}
