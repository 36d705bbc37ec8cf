import { OneOf } from '@passwright/core';

const existingChoices = ['error', 'skip'] as const;

/** How a file of members is imported. */
export class MemberImportQuery {
  @OneOf({
    description:
      'What becomes of a line whose e-mail a member has: `error` answers `member_exists`; `skip` answers that member, ' +
      'with `existing: true`, so that a file can be sent again after it was interrupted. Default: error.',
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
