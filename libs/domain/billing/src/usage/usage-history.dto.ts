import { ApiProperty } from '@nestjs/swagger';

/** The usage of an account in a calendar month, UTC. */
export class UsageMonthResponse {
  @ApiProperty({ pattern: '^\\d{4}-\\d{2}$', description: 'The month in UTC.', example: '2026-11' })
  month!: string;

  @ApiProperty({ type: 'integer', description: 'Passes created in the month, including deleted ones.', example: 1204 })
  passCreations!: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'Passes that are neither void nor expired at the end of the month, or now for the current month. Null if ' +
      'it was not recorded.',
    example: 8310,
  })
  activePasses!: number | null;
}

/** The usage of an account in a day, UTC. */
export class UsageDayResponse {
  @ApiProperty({ format: 'date', description: 'The day in UTC.', example: '2026-11-27' })
  day!: string;

  @ApiProperty({ type: 'integer', description: 'Passes created on the day, including deleted ones.', example: 41 })
  passCreations!: number;

  @ApiProperty({ type: 'integer', description: 'Passes redeemed on the day.', example: 17 })
  redemptions!: number;

  @ApiProperty({
    type: 'integer',
    description: 'Passes added to wallets on the day: one for each device, or for each save at Google.',
    example: 35,
  })
  installations!: number;
}
