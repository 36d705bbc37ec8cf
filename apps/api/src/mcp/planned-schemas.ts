import type { Tool } from './tools.js';

const twoSteps: Record<string, string> = {
  voidPass: 'The first call',
  updatePass: 'If it voids the pass or shortens its validity, the first call',
  upsertTemplate: 'If the template exists, the first call',
};

/**
 * Adds the plan token to the description, input and output of a two-step tool, which first returns a plan and then the
 * outcome.
 */
export function asPlanned({ name, description, input, output }: Tool): Pick<Tool, 'description' | 'input' | 'output'> {
  const planToken = {
    type: 'string',
    description: 'The token of the plan that the first call returned.',
  };
  const { $defs, ...result } = output ?? {};
  return {
    description: `${description} ${twoSteps[name]} changes nothing: it returns a plan with a planToken. Repeat the call with the planToken to execute the plan.`,
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
    reaches: {
      type: 'object',
      description:
        'How many `passes`, `appleDevices` and `googlePasses` change. If counting stopped early, `does` says "at least".',
    },
    changes: { type: 'object', description: 'What changes, by property: the value `from` and the value `to`.' },
    now: { type: 'object', description: 'The state before the change.' },
    planToken: { type: 'string' },
    confirmAt: { type: 'string', description: 'The page on which a person must confirm first.' },
    expiresAt: { type: 'string', format: 'date-time' },
  },
};
