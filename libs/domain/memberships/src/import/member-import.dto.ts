import { OneOf } from '@passwright/core';

const existingChoices = ['error', 'skip'] as const;

/** How a file of members is imported. */
export class MemberImportQuery {
  @OneOf({
    description:
      'The result of a line whose e-mail address belongs to an existing member. `error`: the ' +
      'error `member_exists`. `skip`: the existing member, with `existing: true`, so that you ' +
      'can send an interrupted file again. Default: error.',
    values: existingChoices,
    optional: true,
  })
  existing?: (typeof existingChoices)[number];
}

/** What became of a line. */
export interface ImportedMember {
  readonly id: number;
  readonly templateId: string;
  readonly passId: string;
  /** Set where there was one before. */
  readonly existing?: true;
  readonly links: object;
}
