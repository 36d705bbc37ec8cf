import { DateTime, OneOf, PageQuery, Text } from '@passwright/core';
import { memberStatuses, type MemberStatus } from './member.entity.js';

/** The filters of the list. They are combined with AND. */
export class MembersQuery extends PageQuery {
  @OneOf({ description: 'Only members with this status.', values: memberStatuses, optional: true })
  status?: MemberStatus;

  @Text({ description: 'Only the member with this e-mail address, in upper or lower case.', max: 254, optional: true })
  email?: string;

  @DateTime({ description: 'Only memberships that end before this time, ordered by their end.', optional: true })
  expiresBefore?: string;

  @DateTime({ description: 'Only memberships that end at or after this time, ordered by their end.', optional: true })
  expiresAfter?: string;

  @Text({
    description:
      'Only members whose name or e-mail address has words that begin with these words, in upper or lower case.',
    max: 200,
    optional: true,
  })
  q?: string;
}
