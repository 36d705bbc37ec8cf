import { OneOf } from '@passwright/core';

const existingChoices = ['error', 'skip'] as const;

/** The query parameters of an import. */
export class MemberImportQuery {
  @OneOf({
    description:
      'The result of a line whose e-mail address belongs to an existing member. `error`: the error ' +
      '`member_exists`. `skip`: the existing member, with `existing: true`. Default: error.',
    values: existingChoices,
    optional: true,
  })
  existing?: (typeof existingChoices)[number];
}

/** The result of a line. */
export interface ImportedMember {
  readonly id: number;
  readonly templateId: string;
  readonly passId: string;
  /** Set if the member existed before the import. */
  readonly existing?: true;
  readonly links: object;
}
