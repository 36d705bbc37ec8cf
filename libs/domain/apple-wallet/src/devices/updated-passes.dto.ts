import { ApiProperty } from '@nestjs/swagger';

/** What a device is told when it asks what has changed, as the protocol has it. */
export class UpdatedPassesResponse {
  @ApiProperty({ description: 'Of the passes that have changed.', type: [String], example: ['4fQz8LwXk2bN0aVtYc7mRd'] })
  readonly serialNumbers!: readonly string[];

  @ApiProperty({
    description:
      'What to send as `passesUpdatedSince` the next time: opaque, at most 4,000 characters of `A-Za-z0-9.-`.',
    example: '0f3c9a1b7e.4u43k.4.0-2',
  })
  readonly lastUpdated!: string;
}
