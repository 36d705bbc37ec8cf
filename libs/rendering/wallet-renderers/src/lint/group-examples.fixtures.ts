import type { Example } from './lint-subject.fixtures.js';

const group = { id: 'order-1042' };

/** Examples for the rules on groups. */
export const groupExamples: Record<string, Example> = {
  'apple-group-unused': {
    failing: [
      [{ type: 'offer', pass: { group } }, 'pass $.group'],
      [{ type: 'membership', pass: { group } }, 'pass $.group'],
    ],
    passing: [
      { type: 'event', pass: { group } },
      { type: 'offer', pass: { group: null } },
    ],
  },
};
