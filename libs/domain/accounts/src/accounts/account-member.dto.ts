import { ApiProperty } from '@nestjs/swagger';
import { Flag } from '@passwright/core';
import type { MemberWithUser } from './account-members.repository.js';

const uidExample = 'usr_9aQe3Zr6Uy1Ht5Nk8Mb2Xc';

/** Request body that changes a role. */
export class RoleRequest {
  @Flag({ description: 'Whether the user is an admin of the account.', example: true })
  isAdmin!: boolean;
}

/** A user and their role in the account. */
export class AccountUserResponse {
  @ApiProperty({ example: 'Ada Lovelace' })
  name!: string;

  @ApiProperty({ example: 'ada@example.com' })
  email!: string;

  @ApiProperty({
    description:
      'Admins manage people, keys and settings. Other users can do everything with templates, passes and ' + 'members.',
    example: true,
  })
  isAdmin!: boolean;
}

/** A member of the account. */
export class AccountMemberResponse {
  @ApiProperty({ example: uidExample })
  uid!: string;

  @ApiProperty({ type: AccountUserResponse })
  user!: AccountUserResponse;
}

export function toAccountMemberResponse({ uid, name, email, isAdmin }: MemberWithUser): AccountMemberResponse {
  return { uid, user: { name, email, isAdmin } };
}
