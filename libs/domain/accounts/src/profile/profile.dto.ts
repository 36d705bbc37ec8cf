import { createHash } from 'node:crypto';
import { ApiProperty } from '@nestjs/swagger';
import { Flag, Name, Tagged } from '@passwright/core';
import type { User } from '../users/user.entity.js';

const accountIdExample = 'acc_4fzTm0Jd8xYc2LqWvB7RkP';

/** Request body that changes the caller's own user. */
export class ProfilePatch {
  @Name({ optional: true, max: 200, description: "The user's name. It cannot be cleared.", example: 'Ada Lovelace' })
  name?: string | null;
}

/** Request body that creates another account. */
export class NewAccountRequest {
  @Name({ max: 200, description: "The new account's name.", example: 'Difference Engines' })
  name!: string;

  @Flag({
    optional: true,
    description:
      'True for a test account: its passes have development credentials, and its mails go only to its own ' +
      'users. Cannot be changed later. Default: false.',
  })
  test?: boolean | null;
}

/** An account that the user is in. */
export class OwnAccountResponse {
  @ApiProperty({ example: accountIdExample })
  id!: string;

  @ApiProperty({ example: 'Analytical Engines' })
  name!: string;

  @ApiProperty({ description: 'Whether the user is an admin of the account.', example: true })
  isAdmin!: boolean;

  @ApiProperty({ description: 'Whether this is a test account.', example: false })
  test!: boolean;
}

/** The caller's own user. */
export class ProfileResponse {
  @ApiProperty({ example: 'usr_9aQe3Zr6Uy1Ht5Nk8Mb2Xc' })
  uid!: string;

  @ApiProperty({ example: 'Ada Lovelace' })
  name!: string;

  @ApiProperty({ example: 'ada@example.com' })
  email!: string;

  @ApiProperty({ description: 'The active account.', example: accountIdExample })
  accountId!: string;

  @ApiProperty({
    type: [OwnAccountResponse],
    description:
      'The accounts, in the order in which the user joined; at most 100. `POST /v1/auth/switch` switches ' +
      'to another.',
  })
  accounts!: OwnAccountResponse[];
}

/** Returns the response for a user. @param accountId the active account */
export function toProfileResponse(
  { uid, name, email }: User,
  accountId: string,
  accounts: OwnAccountResponse[],
): ProfileResponse {
  return { uid, name, email, accountId, accounts };
}

/** Returns the ETag of a user with their accounts. */
export function profileTag(profile: ProfileResponse): string {
  return `"${createHash('sha256').update(JSON.stringify(profile)).digest('base64url').slice(0, 22)}"`;
}

export function taggedProfile(profile: ProfileResponse): Tagged<ProfileResponse> {
  return new Tagged(profile, profileTag(profile));
}
