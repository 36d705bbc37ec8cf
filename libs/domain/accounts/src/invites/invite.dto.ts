import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Flag, Name, Text } from '@passwright/core';
import { Email } from '../users/email.js';
import type { Invite } from './invite.entity.js';

/** An example of an invitation code. */
export const codeExample = '4fzTm0Jd8xYc2LqWvB7RkP9aQe3Zr6Uy1Ht5Nk8Mb2Xcn3K8vQxZ2mT7yLcW5bHf0w';
export const codeSchema = { type: 'string', maxLength: codeExample.length, example: codeExample } as const;

/** Request body that invites a user. */
export class InviteRequest {
  @Email({ description: 'The e-mail of the invited person. No other person can accept.', example: 'grace@example.com' })
  email!: string;

  @Flag({
    optional: true,
    description: 'Whether the user will be an admin of the account. Default: false.',
    example: false,
  })
  isAdmin?: boolean | null;
}

/** Request body that accepts an invitation for a new user. */
export class InviteAcceptance {
  @Name({
    optional: true,
    max: 200,
    description: 'The name of the new user. Leave it out with an access token.',
    example: 'Grace Hopper',
  })
  name?: string | null;

  @Text({
    optional: true,
    min: 8,
    max: 200,
    description: 'The password of the new user, 8 to 200 characters on one line. Leave it out with an access token.',
    example: 'correct horse battery staple',
  })
  password?: string | null;
}

/** An open invitation, as admins of the account see it. */
export class InviteResponse {
  @ApiProperty({
    description:
      'Accepts the invitation once, unless the invited person will be an admin: that needs the code from the ' +
      'e-mail. An API key gets the `ref` instead.',
    example: codeExample,
  })
  code!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'When the invitation ends: after 7 days, or with the API key that sent it.',
  })
  expiry!: string;

  @ApiProperty({
    description: 'Identifies the invitation in the audit trail and for withdrawal. It cannot accept the invitation.',
    example: codeExample.slice(0, 22),
  })
  ref!: string;

  @ApiProperty({ example: 'grace@example.com' })
  email!: string;

  @ApiProperty({ description: 'Whether the invited person will be an admin.', example: false })
  isAdmin!: boolean;
}

/** An invitation, as the invited person sees it. */
export class InvitationResponse {
  @ApiProperty({ description: 'The name of the account.', example: 'Analytical Engines' })
  accountName!: string;

  @ApiProperty({ description: 'The invited e-mail address.', example: 'grace@example.com' })
  email!: string;

  @ApiProperty({ description: 'Whether the invited person will be an admin.', example: false })
  isAdmin!: boolean;

  @ApiPropertyOptional({
    description: 'The name of the inviter; absent if an API key sent the invitation.',
    example: 'Ada Lovelace',
  })
  invitedBy?: string;

  @ApiProperty({ type: String, format: 'date-time' })
  expiry!: string;

  @ApiPropertyOptional({
    description:
      'Whether the invited person is already a user. If true, log in and accept with the access token; ' +
      'otherwise accept with a name and a password. Absent without the code from the e-mail.',
    example: false,
  })
  userExists?: boolean;
}

/** Returns an invitation with its code, which is not stored. */
export function toInviteResponse(invite: Invite, code: string): InviteResponse {
  const { id: ref, email, isAdmin, expiresAt } = invite;
  return { code, expiry: expiresAt.toISOString(), ref, email, isAdmin };
}
