import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Name } from '@passwright/core';
import { AccountMemberResponse } from '../accounts/account-member.dto.js';
import { AccountDeletionResponse } from '../deletion/account-deletion.dto.js';
import { InviteResponse } from '../invites/invite.dto.js';
import { BillingResponse } from './account-billing.dto.js';

/** A JSON merge patch (RFC 7396) of the account. */
export class AccountPatch {
  @Name({
    optional: true,
    max: 200,
    description: 'What the account is called. It cannot be cleared.',
    example: 'Analytical Engines',
  })
  name?: string | null;

  @Name({
    optional: true,
    max: 100,
    description: 'What the account is busy with. Null clears it.',
    example: 'Mechanical computing',
  })
  industry?: string | null;
}

/** What the account uses now. */
export class AccountUsageResponse {
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Passes created in the current billing period.',
    example: 4,
  })
  passCreations!: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Passes that are neither void nor expired.', example: 3 })
  activePasses!: number;
}

/** The storage that an account uses, and its limit. */
export class AccountStorageResponse {
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Bytes of images: uploads, and the sizes that are made of images.',
    example: 1_204_311,
  })
  imageBytes!: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    description: 'Bytes of images at most. Absent: no limit.',
    example: 5_368_709_120,
  })
  maxImageBytes?: number;
}

/** The account that a caller acts on. */
export class AccountResponse {
  @ApiProperty({ example: 'acc_4fzTm0Jd8xYc2LqWvB7RkP' })
  id!: string;

  @ApiProperty({ example: 'Analytical Engines' })
  name!: string;

  @ApiPropertyOptional({ description: 'Absent where none is set.', example: 'Mechanical computing' })
  industry?: string;

  @ApiProperty({ type: [AccountMemberResponse], description: 'Those who have been in it longest first; at most 1000.' })
  members!: AccountMemberResponse[];

  @ApiProperty({ type: AccountUsageResponse })
  usage!: AccountUsageResponse;

  @ApiProperty({ type: AccountStorageResponse })
  storage!: AccountStorageResponse;

  @ApiProperty({
    type: [InviteResponse],
    description:
      'Those that can be accepted, the newest first. For admins, and API keys with `account:write`; else empty.',
  })
  invites!: InviteResponse[];

  @ApiProperty({ type: BillingResponse })
  billing!: BillingResponse;

  @ApiPropertyOptional({ type: AccountDeletionResponse, description: 'Absent unless the account is being deleted.' })
  deletion?: AccountDeletionResponse;
}
