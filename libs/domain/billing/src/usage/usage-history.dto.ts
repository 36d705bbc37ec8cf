import { ApiProperty } from '@nestjs/swagger';

/** The usage of an account in a calendar month, UTC. */
export class UsageMonthResponse {
  @ApiProperty({ pattern: '^\\d{4}-\\d{2}$', description: 'UTC.', example: '2026-11' })
  month!: string;

  @ApiProperty({ type: 'integer', description: 'Passes created in the month, including deleted ones.', example: 1204 })
  passCreations!: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'Passes that are neither void nor expired: now for the current month, at the end of the month for earlier ' +
      'ones. Null for months before this was recorded.',
    example: 8310,
  })
  activePasses!: number | null;
}
