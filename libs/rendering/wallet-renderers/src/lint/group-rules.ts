import type { Rule } from '../finding.js';
import { problemIf } from '../problem-text.js';

/** Rules on the groups of passes. */
export const groupRules: readonly Rule[] = [
  {
    id: 'apple-group-unused',
    severity: 'info',
    wallet: 'walletA',
    title: 'Apple Wallet does not group passes of this type',
    why: 'Apple Wallet stacks tickets of events only. Google Wallet and the web view show the group.',
    fix: 'change nothing, unless the passes must lie together on an iPhone: then use an event template',
    pass: ({ group }, { type }) =>
      problemIf(!!group && type !== 'event', 'group', () => `passes of type ${type} stay separate`),
  },
];
