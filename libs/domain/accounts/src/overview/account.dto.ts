import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Name } from '@passwright/core';
import { AccountMemberResponse } from '../accounts/account-member.dto.js';
import { AccountDeletionResponse } from '../deletion/account-deletion.dto.js';
import { InviteResponse } from '../invites/invite.dto.js';
import { BillingResponse } from './account-billing.dto.js';

const clearable = { optional: true, nullable: true };

/** A JSON merge patch (RFC 7396) of the account. */
export class AccountPatch {
  @Name({
    optional: true,
    max: 200,
    description: 'The name of the account. It cannot be cleared.',
    example: 'Analytical Engines',
  })
  name?: string | null;

  @Name({
    max: 100,
    description: 'The account’s line of business. Null clears it.',
    example: 'Mechanical computing',
    ...clearable,
  })
  industry?: string | null;
}

/** The current usage of the account. */
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
    description: 'Bytes of stored images: uploads and the sizes generated from them.',
    example: 1_204_311,
  })
  imageBytes!: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    description: 'Maximum number of bytes of images. Absent: no limit.',
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

  @ApiPropertyOptional({ description: 'Absent if it is not set.', example: 'Mechanical computing' })
  industry?: string;

  @ApiProperty({ description: 'True for a test account.', example: false })
  test!: boolean;

  @ApiProperty({
    type: [AccountMemberResponse],
    description: 'Users of the account, in order of joining; at most 1000.',
  })
  members!: AccountMemberResponse[];

  @ApiProperty({ type: AccountUsageResponse })
  usage!: AccountUsageResponse;

  @ApiProperty({ type: AccountStorageResponse })
  storage!: AccountStorageResponse;

  @ApiProperty({
    type: [InviteResponse],
    description: 'Open invitations, newest first. For admins and for API keys with `account:write`; otherwise empty.',
  })
  invites!: InviteResponse[];

  @ApiProperty({ type: BillingResponse })
  billing!: BillingResponse;

  @ApiPropertyOptional({
    type: AccountDeletionResponse,
    description: 'Present only while the account is being deleted.',
  })
  deletion?: AccountDeletionResponse;
}
