import { ApiProperty } from '@nestjs/swagger';
import type { GoogleState } from './google-progress.dto.js';

/** The state of the pass at Google Wallet, whose servers update the phones. */
export class GoogleDeliveryResponse {
  @ApiProperty({
    enum: ['none', 'current', 'waiting', 'refused'],
    description:
      '`none`: no link was requested yet. `current`: Google has the current version. `waiting`: a ' +
      'change has not been sent yet. `refused`: Google rejects it, see `problem`.',
  })
  state!: GoogleState;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When Google last accepted the pass.',
  })
  sentAt!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The last error from Google.' })
  problem!: string | null;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'How often holders have saved the pass, as reported by Google.',
    example: 2,
  })
  saves!: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'How often holders have removed the pass.', example: 1 })
  removals!: number;
}
