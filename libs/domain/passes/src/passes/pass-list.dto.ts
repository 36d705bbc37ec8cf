import { ApiPropertyOptional } from '@nestjs/swagger';
import { DateTime, PageQuery, Text } from '@passwright/core';
import { Transform } from 'class-transformer';
import { IsBoolean, IsOptional } from 'class-validator';

/** The filters of the list; several narrow it down together. */
export class PassListQuery extends PageQuery {
  @ApiPropertyOptional({ description: 'Only void passes, or only those that are not.' })
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value))
  @IsBoolean({ message: 'voided must be true or false' })
  voided?: boolean;

  @Text({ description: 'The pass with this code.', max: 512, optional: true })
  code?: string;

  @DateTime({ description: 'Those that expire earlier, the earliest first.', optional: true })
  expiresBefore?: string;

  @DateTime({ description: 'Those changed then or later, the earliest change first.', optional: true })
  updatedSince?: string;
}
