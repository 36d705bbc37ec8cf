import { encodeCursor, type Position } from './cursor.js';
import { jsonSize, type Page, PAGE_BYTES, type PageQuery } from './page.js';

/** The default number of rows in the first part. It is the default size of a page. */
const DEFAULT_FIRST = 20;

/** The functions that `readPage` calls for a list. */
export interface PageOf<Row, T> {
  /** Returns the next rows after the cursor, at most `limit`. */
  readonly read: (part: PageQuery) => Promise<readonly Row[]>;
  readonly position: (row: Row) => Position;
  readonly toResponse: (row: Row) => T;
  /** The number of rows in the first part: small for rows that may exceed 250 KB. Default: 20. */
  readonly first?: number;
}

/**
 * Reads a page in parts until it is full, because the rows of some lists are large. The average size of the rows so far
 * determines the size of the next part.
 */
export async function readPage<Row, T>(
  { limit, cursor }: PageQuery,
  { read, position, toResponse, first = DEFAULT_FIRST }: PageOf<Row, T>,
): Promise<Page<T>> {
  const data: T[] = [];
  let sizeBytes = 0;
  for (let [after, part] = [cursor, first]; ;) {
    const count = Math.min(part, limit - data.length);
    // Read one more row, to see whether another page follows.
    const rows = await read({ limit: count + 1, cursor: after });
    for (const row of rows.slice(0, count)) {
      const item = toResponse(row);
      sizeBytes += jsonSize(item);
      if (data.length > 0 && sizeBytes > PAGE_BYTES) return { data, nextCursor: after ?? null };
      data.push(item);
      after = encodeCursor(position(row));
    }
    if (rows.length <= count) return { data, nextCursor: null };
    if (data.length === limit) return { data, nextCursor: after ?? null };
    part = Math.max(1, Math.ceil(((PAGE_BYTES - sizeBytes) * data.length) / sizeBytes));
  }
}
