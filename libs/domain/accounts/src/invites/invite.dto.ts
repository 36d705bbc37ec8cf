import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Flag, Name, Text } from '@passwright/core';
import { Email } from '../users/email.js';
import type { Invite } from './invite.entity.js';

/** What an invitation's code looks like. */
export const codeExample = '4fzTm0Jd8xYc2LqWvB7RkPn3K8vQxZ2mT7yLcW5bHf0w';

/** Body of a new invitation. */
export class InviteRequest {
  @Email({ description: 'Whom to invite; nobody else can accept.', example: 'grace@example.com' })
  email!: string;

  @Flag({
    optional: true,
    description: 'Whether they will be an admin of the account. Default: false.',
    example: false,
  })
  isAdmin?: boolean | null;
}

/** Body of an acceptance: of somebody who has no user yet. */
export class InviteAcceptance {
  @Name({
    optional: true,
    max: 200,
    description: "The new user's name. Leave it out with an access token.",
    example: 'Grace Hopper',
  })
  name?: string | null;

  @Text({
    optional: true,
    min: 8,
    max: 200,
    description: 'Their password, 8 to 200 characters, any on one line. Leave it out with an access token.',
    example: 'correct horse battery staple',
  })
  password?: string | null;
}

/** An invitation that can be accepted, as the account's admins see it. */
export class InviteResponse {
  @ApiProperty({
    description:
      'Admits the invited person once, as a user who is not an admin and is not registered yet, or together with their ' +
      'access token. Everything else takes the code that was sent by e-mail. An API key gets the `ref` here.',
    example: codeExample,
  })
  code!: string;

  @ApiProperty({ type: String, format: 'date-time', description: 'Until when it can be accepted: 7 days.' })
  expiry!: string;

  @ApiProperty({
    description: 'Names the invitation without letting anybody in: in the audit trail, and to withdraw it.',
    example: codeExample.slice(0, 22),
  })
  ref!: string;

  @ApiProperty({ example: 'grace@example.com' })
  email!: string;

  @ApiProperty({ description: 'Whether the invited will be an admin.', example: false })
  isAdmin!: boolean;
}

/** An invitation as the invited sees it. */
export class InvitationResponse {
  @ApiProperty({ description: 'What the account is called.', example: 'Analytical Engines' })
  accountName!: string;

  @ApiProperty({ description: 'The address that was invited.', example: 'grace@example.com' })
  email!: string;

  @ApiProperty({ description: 'Whether the invited will be an admin.', example: false })
  isAdmin!: boolean;

  @ApiPropertyOptional({ description: 'Who has invited; absent where it was a program.', example: 'Ada Lovelace' })
  invitedBy?: string;

  @ApiProperty({ type: String, format: 'date-time' })
  expiry!: string;

  @ApiPropertyOptional({
    description:
      'Whether the invited has a user: then log in and accept with the access token; else with a name and a password. Only ' +
      'the code of the e-mail is told: who invites does not learn who is a user elsewhere.',
    example: false,
  })
  userExists?: boolean;
}

/** An invitation with its code, which is not kept. */
export function toInviteResponse(invite: Invite, code: string): InviteResponse {
  const { id: ref, email, isAdmin, expiresAt } = invite;
  return { code, expiry: expiresAt.toISOString(), ref, email, isAdmin };
}
