import { ApiProperty } from '@nestjs/swagger';
import type { GoogleState } from './google-progress.repository.js';

/** The class of a template at Google Wallet. */
class GoogleClassProgress {
  @ApiProperty({ type: String, nullable: true, description: 'Its id at Google; null without an issuer.' })
  id!: string | null;

  @ApiProperty({
    enum: ['none', 'current', 'waiting', 'refused'],
    description:
      '`none`: nobody has asked for a link yet. `current`: Google has it as it is. `waiting`: a change is on its way. ' +
      '`refused`: Google does not take it, see `problem`; it waits for a change.',
  })
  state!: GoogleState;

  @ApiProperty({ type: String, nullable: true, format: 'date-time', description: 'When Google took it last.' })
  sentAt!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'What Google had against it the last time.' })
  problem!: string | null;
}

/** The objects of a template's passes at Google Wallet. */
class GoogleObjectsProgress {
  @ApiProperty({ description: 'Passes that somebody asked a link for.', example: 1204 })
  total!: number;

  @ApiProperty({ description: 'Of these, those whose last change is on its way.', example: 12 })
  waiting!: number;

  @ApiProperty({ description: 'Of these, those that Google does not take; see `problem`.', example: 0 })
  refused!: number;

  @ApiProperty({ description: 'Of these, those that are in a wallet, as far as Google has told.', example: 987 })
  installed!: number;

  @ApiProperty({ type: String, nullable: true, description: 'What Google had against one of the refused.' })
  problem!: string | null;
}

/** Why nothing is written at the moment. */
class GoogleHaltResponse {
  @ApiProperty({ description: 'What Google said.', example: 'permissionDenied: the service account is no user' })
  reason!: string;

  @ApiProperty({ format: 'date-time' })
  since!: string;

  @ApiProperty({ format: 'date-time', description: 'When the next try is made.' })
  retryAt!: string;
}

/** How far Google Wallet is in step with a template and its passes. */
export class GoogleProgressResponse {
  @ApiProperty({ description: 'True without an issuer: nothing is written to Google.' })
  development!: boolean;

  @ApiProperty({
    type: () => GoogleHaltResponse,
    nullable: true,
    description: 'Set while Google refuses the service account.',
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
    description:
      'When all that waits will be with Google at the pace of its quota, if nobody else uses it; null when nothing waits.',
  })
  doneBy!: string | null;
}
