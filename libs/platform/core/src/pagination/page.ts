import type { Type } from '@nestjs/common';
import { ApiOkResponse, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { encodeCursor, type Position } from './cursor.js';

/** The `?limit=` and `?cursor=` parameters of every list. Extend the class with the filters of the list. */
export class PageQuery {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: 100,
    default: 20,
    description: 'Items per page, 1 to 100.',
  })
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? +value : value))
  @IsInt({ message: 'limit must be a whole number from 1 to 100' })
  @Min(1)
  @Max(100)
  limit: number = 20;

  @ApiPropertyOptional({ maxLength: 2000, description: 'The `nextCursor` of the previous page.' })
  @IsOptional()
  @IsString()
  @MaxLength(2000)
  cursor?: string;
}

/** A page of a list; `nextCursor` is null on the last page. */
export interface Page<T> {
  data: T[];
  nextCursor: string | null;
}

/**
 * The maximum size of a page, measured by `jsonSize`. A page exceeds it only if its first item does. Building a page of
 * this size blocks the event loop for a few milliseconds.
 */
export const PAGE_BYTES = 250_000;

const ISO_DATE_SIZE = 26;

/**
 * Turns up to limit + 1 rows into a page of at most `PAGE_BYTES`. If rows remain, the page has a cursor for the next
 * page.
 */
export function toPage<Row, T>(
  rows: readonly Row[],
  limit: number,
  position: (row: Row) => Position,
  toResponse: (row: Row) => T,
): Page<T> {
  const data: T[] = [];
  let sizeBytes = 0;
  for (const row of rows.slice(0, limit)) {
    const item = toResponse(row);
    sizeBytes += jsonSize(item);
    if (data.length > 0 && sizeBytes > PAGE_BYTES) break;
    data.push(item);
  }
  const last = rows[data.length - 1];
  const nextCursor = rows.length > data.length && last !== undefined ? encodeCursor(position(last)) : null;
  return { data, nextCursor };
}

/**
 * Returns the JSON size of a value in bytes. Ignores escape characters, because serialising the value would take
 * several times as long.
 */
export function jsonSize(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 2;
  if (typeof value !== 'object' || value === null) return String(value).length;
  if (value instanceof Date) return ISO_DATE_SIZE;
  if (Array.isArray(value)) return value.reduce<number>((size, item) => size + jsonSize(item) + 1, 2);
  return Object.entries(value).reduce((size, [name, item]) => size + name.length + jsonSize(item) + 4, 2);
}

/** Documents a list route: `{ data: [item], nextCursor }`, as a schema that is named after the item. */
export function ApiPage(item: Type<unknown>): MethodDecorator {
  class ItemPage {
    @ApiProperty({ type: () => item, isArray: true, maxItems: 100, description: 'The entries of this page.' })
    data!: unknown[];

    @ApiProperty({
      type: String,
      nullable: true,
      description: 'Pass it as `cursor` to get the next page; null on the last page.',
    })
    nextCursor!: string | null;
  }
  Object.defineProperty(ItemPage, 'name', { value: `${item.name.replace(/Response$/, '')}Page` });
  return ApiOkResponse({ type: ItemPage, description: 'A page of the list.' });
}
