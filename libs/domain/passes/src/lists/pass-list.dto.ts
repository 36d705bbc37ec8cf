import { ApiPropertyOptional } from '@nestjs/swagger';
import { DateTime, PageQuery, Text } from '@passwright/core';
import { Transform } from 'class-transformer';
import { IsBoolean, IsOptional } from 'class-validator';

/** The filters of the pass list. Several filters are combined with AND. */
export class PassListQuery extends PageQuery {
  @ApiPropertyOptional({ description: 'True: only void passes. False: only passes that are not void.' })
  @IsOptional()
  @Transform(({ obj: { voided } }: { obj: Record<string, unknown> }) =>
    // Read the original value, because a global pipe of the app may have converted every text to true.
    voided === 'true' ? true : voided === 'false' ? false : voided,
  )
  @IsBoolean({ message: 'voided must be true or false' })
  voided?: boolean;

  @Text({ description: 'Only the pass with this code.', max: 512, optional: true })
  code?: string;

  @DateTime({ description: 'Only passes that expire before this time, earliest first.', optional: true })
  expiresBefore?: string;

  @DateTime({ description: 'Only passes changed at or after this time, earliest change first.', optional: true })
  updatedSince?: string;
}
