import { ApiProperty } from '@nestjs/swagger';
import type { GoogleState } from './google-progress.repository.js';

/** How the pass stands at Google Wallet, whose server tells the phones. */
export class GoogleDeliveryResponse {
  @ApiProperty({
    enum: ['none', 'current', 'waiting', 'refused'],
    description:
      '`none`: nobody has asked for its link yet. `current`: Google has it as it is. `waiting`: a change is on its way. ' +
      '`refused`: Google does not take it, see `problem`.',
  })
  state!: GoogleState;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When Google took it last.' })
  sentAt!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'What Google had against it the last time.' })
  problem!: string | null;

  @ApiProperty({ description: 'How often holders have saved it, as far as Google has told.', example: 2 })
  saves!: number;

  @ApiProperty({ description: 'How often holders have removed it.', example: 1 })
  removals!: number;
}
