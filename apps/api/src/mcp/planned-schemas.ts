import type { JsonSchema } from './tool-schema.js';
import type { Tool } from './tools.js';

/** What a tool in two steps takes and gives: the token of its plan beside the rest, and a plan or the result. */
export function plannedSchemas({ input, output }: Tool): { input: JsonSchema; output: JsonSchema | null } {
  const planToken = {
    type: 'string',
    description: 'Of the plan that the same call without it has answered. Without it nothing is done.',
  };
  const { $defs, ...result } = output ?? {};
  return {
    input: { ...input, properties: { ...(input.properties as object), planToken } },
    output: { type: 'object', anyOf: [result, plan], ...($defs !== undefined && { $defs }) },
  };
}

const plan = {
  type: 'object',
  required: ['planned', 'does', 'planToken', 'expiresAt'],
  properties: {
    planned: { const: true },
    does: { type: 'string' },
    now: { type: 'object', description: 'As it is before.' },
    planToken: { type: 'string' },
    expiresAt: { type: 'string', format: 'date-time' },
  },
};
