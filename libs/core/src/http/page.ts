import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { ValidationFailed } from '../errors/wire-errors.js';

/** `?limit=` and `?cursor=` of every list. Extend it with the list's filters. */
export class PageQuery {
  @ApiPropertyOptional({ minimum: 1, maximum: 100, default: 20, description: 'How many to return, 1 to 100.' })
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? +value : value))
  @IsInt({ message: 'limit must be a whole number from 1 to 100' })
  @Min(1)
  @Max(100)
  limit: number = 20;

  @ApiPropertyOptional({ description: 'Opaque: `nextCursor` of the page before.' })
  @IsOptional()
  @IsString()
  @MaxLength(2000)
  cursor?: string;
}

/** One page of a list; `nextCursor` is null on the last. */
export interface Page<T> {
  data: T[];
  nextCursor: string | null;
}

/** The position of a row in a keyset order: its sort values, as strings. */
export type Position = readonly string[];

/** Turns limit + 1 rows into a page: the extra row only tells that there is a next one. */
export function toPage<Row, T>(
  rows: readonly Row[],
  limit: number,
  position: (row: Row) => Position,
  toResponse: (row: Row) => T,
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? encodeCursor(position(last)) : null;
  return { data: shown.map(toResponse), nextCursor };
}

export function encodeCursor(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/**
 * @param isValid one check per sort value, so that a forged cursor never reaches the database
 * @returns null without a cursor. @throws ValidationFailed for one this list did not hand out
 */
export function decodeCursor(cursor: string | undefined, ...isValid: ((value: string) => boolean)[]): Position | null {
  if (cursor === undefined) return null;
  const position = parsePosition(cursor);
  const fits = position?.length === isValid.length && position.every((value, index) => isValid[index]?.(value));
  if (!position || !fits) {
    throw new ValidationFailed('cursor must be the nextCursor of this list, with the same filters');
  }
  return position;
}

function parsePosition(cursor: string): string[] | null {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parsed) && parsed.every((value) => typeof value === 'string') ? parsed : null;
  } catch {
    return null;
  }
}

/** Documents a list route: `{ data: [item], nextCursor }`. */
export function ApiPage(item: Type<unknown>): MethodDecorator {
  const nextCursor = {
    type: 'string',
    nullable: true,
    description: 'Pass it as `cursor` for the next page; null on the last.',
  };
  return applyDecorators(
    ApiExtraModels(item),
    ApiOkResponse({
      schema: {
        type: 'object',
        required: ['data', 'nextCursor'],
        properties: { data: { type: 'array', items: { $ref: getSchemaPath(item) } }, nextCursor },
      },
    }),
  );
}
