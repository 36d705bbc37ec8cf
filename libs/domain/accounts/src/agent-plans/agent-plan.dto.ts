import { ApiProperty } from '@nestjs/swagger';
import type { AgentPlan, PlannedChanges } from './agent-plan.entity.js';

/** A call that an agent has planned with a supervised API key, without the values that it changes. */
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
    type: [String],
    maxItems: 100,
    description: 'The names of the changed properties. Empty for a call that voids a pass.',
    example: ['code', 'fields'],
  })
  changed!: readonly string[];

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  expiresAt!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Null: not confirmed.' })
  confirmedAt!: string | null;
}

/** A planned call with the values that it changes. */
export class AgentPlanDetails extends AgentPlanResponse {
  @ApiProperty({
    type: 'object',
    additionalProperties: {
      type: 'object',
      properties: {
        from: { description: 'The present value. Absent: not set.' },
        to: { description: 'The current value. Absent: not set.' },
      },
    },
    description: 'The changed properties with their values before and after the call.',
    example: { code: { from: 'A-1', to: 'A-2' } },
  })
  changes!: PlannedChanges;
}

/** Returns a plan without the hash of its call. */
export function toAgentPlanResponse(stored: AgentPlan): AgentPlanResponse {
  const { id, keyId, tool, templateId, passId, plan, createdAt, expiresAt, confirmedAt } = stored;
  return {
    id,
    keyId,
    tool,
    does: plan.does,
    templateId,
    passId,
    reaches: plan.reaches ?? {},
    changed: plan.changed,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    confirmedAt: confirmedAt?.toISOString() ?? null,
  };
}
