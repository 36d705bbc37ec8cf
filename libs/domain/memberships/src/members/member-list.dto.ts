import { DateTime, OneOf, PageQuery, Text } from '@passwright/core';
import { memberStatuses, type MemberStatus } from './member.entity.js';

/** The filters of the list; several narrow it down together. */
export class MembersQuery extends PageQuery {
  @OneOf({ description: 'Only members of this status.', values: memberStatuses, optional: true })
  status?: MemberStatus;

  @Text({ description: 'The member with this address, in whatever case.', max: 254, optional: true })
  email?: string;

  @DateTime({ description: 'Those that end earlier, the earliest first.', optional: true })
  expiresBefore?: string;

  @DateTime({ description: 'Those that end then or later, the earliest first.', optional: true })
  expiresAfter?: string;

  @Text({
    description: 'Those in whose names and addresses a word begins with each word of this text, in whatever case.',
    max: 200,
    optional: true,
  })
  q?: string;
}
