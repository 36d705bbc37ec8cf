import { ApiProperty } from '@nestjs/swagger';

/** The changed passes of a device, in the format of the protocol. */
export class UpdatedPassesResponse {
  @ApiProperty({
    description: 'The serial numbers of the passes that have changed.',
    type: [String],
    example: ['4fQz8LwXk2bN0aVtYc7mRd'],
  })
  readonly serialNumbers!: readonly string[];

  @ApiProperty({
    description:
      'Send this as `passesUpdatedSince` next time. An opaque text of at most 4,000 characters from ' +
      '`A-Za-z0-9.-`.',
    maxLength: 4000,
    example: '0f3c9a1b7e.4u43k.4.0-2',
  })
  readonly lastUpdated!: string;
}
