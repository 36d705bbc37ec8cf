import { ApiProperty } from '@nestjs/swagger';
import { Text } from '@passwright/core';
import type { AccountDeletion } from '../accounts/account-deletion.entity.js';

/** Request body that deletes the account. */
export class DeleteAccountRequest {
  @Text({
    optional: true,
    max: 200,
    description:
      'Your password. Leave it out if you sign in through an identity provider and have no password; then the ' +
      'session must be at most 15 minutes old.',
    example: 'correct horse battery staple',
  })
  password?: string | null;
}

/** The planned deletion of an account. */
export class AccountDeletionResponse {
  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T10:00:00.000Z' })
  requestedAt!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'An admin can cancel the deletion until this time.',
    example: '2026-11-27T10:00:00.000Z',
  })
  deletesAt!: string;
}

export function toAccountDeletionResponse({ requestedAt, deletesAt }: AccountDeletion): AccountDeletionResponse {
  return { requestedAt: requestedAt.toISOString(), deletesAt: deletesAt.toISOString() };
}
