import { ApiProperty } from '@nestjs/swagger';
import type { Progress } from './google-progress.repository.js';

/** The state of a class or an object, as the API names it. */
export type GoogleState = 'none' | 'current' | 'waiting' | 'refused';

/** The class of a template at Google Wallet. */
class GoogleClassProgress {
  @ApiProperty({ type: String, nullable: true, description: 'The id of the class at Google; null without an issuer.' })
  id!: string | null;

  @ApiProperty({
    enum: ['none', 'current', 'waiting', 'refused'],
    description:
      '`none`: no link was requested yet. `current`: Google has the current version. `waiting`: a change has ' +
      'not been sent yet. `refused`: Google rejects it, see `problem`.',
  })
  state!: GoogleState;

  @ApiProperty({
    type: String,
    nullable: true,
    format: 'date-time',
    description: 'When Google last accepted the class.',
  })
  sentAt!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The last error from Google.' })
  problem!: string | null;
}

/** The objects of a template's passes at Google Wallet. */
class GoogleObjectsProgress {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Passes for which a link was requested.', example: 1204 })
  total!: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Objects with a change that has not been sent yet.',
    example: 12,
  })
  waiting!: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Objects that Google rejects; see `problem`.', example: 0 })
  refused!: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Objects that are in a wallet, as reported by Google.',
    example: 987,
  })
  installed!: number;

  @ApiProperty({ type: String, nullable: true, description: 'The error from Google for one of the rejected objects.' })
  problem!: string | null;
}

/** The reason why the service writes nothing to Google at the moment. */
class GoogleHaltResponse {
  @ApiProperty({ description: 'The error from Google.', example: 'permissionDenied: the service account is no user' })
  reason!: string;

  @ApiProperty({ format: 'date-time' })
  since!: string;

  @ApiProperty({ format: 'date-time', description: 'When the next attempt is made.' })
  retryAt!: string;
}

/** The sync state of a template and its passes at Google Wallet. */
export class GoogleProgressResponse {
  @ApiProperty({ description: 'True if there is no issuer: nothing is written to Google.' })
  development!: boolean;

  @ApiProperty({
    type: () => GoogleHaltResponse,
    nullable: true,
    description: 'Set while Google rejects the service account.',
  })
  halt!: GoogleHaltResponse | null;

  @ApiProperty({ type: GoogleClassProgress })
  class!: GoogleClassProgress;

  @ApiProperty({ type: GoogleObjectsProgress })
  objects!: GoogleObjectsProgress;

  @ApiProperty({
    type: String,
    nullable: true,
    format: 'date-time',
    description: 'The estimated time at which Google has all waiting changes; null if nothing waits.',
  })
  doneBy!: string | null;
}

export function toGoogleState(row: Progress | null): GoogleState {
  if (!row) return 'none';
  if (row.rejected) return 'refused';
  if (row.dueAt !== null) return 'waiting';
  return row.sentHash ? 'current' : 'none';
}
