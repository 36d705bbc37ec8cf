import { ApiProperty } from '@nestjs/swagger';

/** The usage of an account in a calendar month, UTC. */
export class UsageMonthResponse {
  @ApiProperty({ pattern: '^\\d{4}-\\d{2}$', description: 'UTC.', example: '2026-11' })
  month!: string;

  @ApiProperty({ type: 'integer', description: 'Passes created in it, deleted ones included.', example: 1204 })
  passCreations!: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'Passes neither void nor expired: of the present month now, of a former one when it ended. Null for a month ' +
      'before these were kept.',
    example: 8310,
  })
  activePasses!: number | null;
}
