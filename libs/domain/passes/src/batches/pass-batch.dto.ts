import { OneOf } from '@passwright/core';
import type { PassLinks } from '../addresses/pass-links.js';

const existingChoices = ['error', 'skip'] as const;

/** The query parameters of a request that issues a batch of passes. */
export class PassBatchQuery {
  @OneOf({
    description:
      'The result of a line whose `id` already exists. `error`: the error `pass_exists`. `skip`: the existing ' +
      'pass, unchanged, with `existing: true`. Default: error.',
    values: existingChoices,
    optional: true,
  })
  existing?: (typeof existingChoices)[number];
}

/** The pass in the result of one line of a batch. */
export interface BatchedPass extends PassLinks {
  readonly id: string;
  /** Set if the pass already existed. */
  readonly existing?: true;
}
