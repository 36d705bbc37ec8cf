import { OneOf } from '@passwright/core';
import type { PassLinks } from '../passes/pass-links.js';

const existingChoices = ['error', 'skip'] as const;

/** How lines of passes are issued. */
export class PassBatchQuery {
  @OneOf({
    description:
      'What becomes of a line whose `id` a pass of the template has: `error` answers `pass_exists`; `skip` answers that ' +
      'pass as it is, with `existing: true`, so that a file can be sent again after it was interrupted. Default: error.',
    values: existingChoices,
    optional: true,
  })
  existing?: (typeof existingChoices)[number];
}

/** What became of a line. */
export interface BatchedPass extends PassLinks {
  readonly id: string;
  /** Set where there was one before. */
  readonly existing?: true;
}
