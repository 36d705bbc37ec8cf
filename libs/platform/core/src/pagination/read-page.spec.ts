import fc from 'fast-check';
import { decodeCursor } from './cursor.js';
import { jsonSize, PAGE_BYTES, type PageQuery, toPage } from './page.js';
import { readPage } from './read-page.js';

interface Row {
  readonly id: number;
  readonly text: string;
}

/** A list of rows with the given sizes. Records how many rows are read. */
class List {
  readonly rows: Row[];
  /** The number of rows in each part that `readPage` reads. */
  parts: number[] = [];

  constructor(
    sizes: readonly number[],
    private readonly first?: number,
  ) {
    this.rows = sizes.map((size, id) => ({ id, text: 'x'.repeat(size) }));
  }

  page(query: PageQuery) {
    this.parts = [];
    return readPage(query, {
      read: (part) => Promise.resolve(this.read(part)),
      position: positionOf,
      toResponse: (row) => row,
      first: this.first,
    });
  }

  read({ limit, cursor }: PageQuery): Row[] {
    const [last = '-1'] = decodeCursor(cursor, () => true) ?? [];
    const rows = this.rows.slice(Number(last) + 1).slice(0, limit);
    this.parts.push(rows.length);
    return rows;
  }
}

const positionOf = ({ id }: Row) => [String(id)];
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

describe('readPage', () => {
  const anySizes = fc.array(fc.oneof(fc.nat(50), fc.nat(40_000), fc.nat(300_000)), { maxLength: 40 });

  it('readPage returns the same pages as toPage returns for all rows at once', async () => {
    await fc.assert(
      fc.asyncProperty(anySizes, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 25 }), async (...given) => {
        const [sizes, limit, first] = given;
        const list = new List(sizes, first);
        for (let cursor: string | undefined; ;) {
          const atOnce = toPage(list.read({ limit: limit + 1, cursor }), limit, positionOf, (row) => row);
          const page = await list.page({ limit, cursor });
          expect(page.data.map(({ id }) => id)).toEqual(atOnce.data.map(({ id }) => id));
          expect(page.nextCursor).toBe(atOnce.nextCursor);
          if (page.nextCursor === null) break;
          cursor = page.nextCursor;
        }
      }),
      { numRuns: 60 },
    );
  });

  it('readPage reads a page of small rows in two parts', async () => {
    const list = new List(new Array<number>(150).fill(100));
    expect((await list.page({ limit: 100 })).data).toHaveLength(100);
    expect(list.parts).toEqual([21, 81]);
  });

  it('readPage reads only the first part if its rows already fill the page', async () => {
    const list = new List(new Array<number>(150).fill(200_000), 5);
    const { data, nextCursor } = await list.page({ limit: 100 });
    expect([data.length, nextCursor, list.parts]).toEqual([1, expect.any(String), [6]]);
  });

  it('readPage reads at most one page beyond the first part, whatever the size of the rows', async () => {
    for (const size of [1000, 3000, 10_000, 20_000, 60_000]) {
      const list = new List(new Array<number>(200).fill(size), 5);
      await list.page({ limit: 100 });
      const item = jsonSize(list.rows[0]);
      expect(sum(list.parts) * item).toBeLessThanOrEqual(PAGE_BYTES + (5 + 3 * list.parts.length) * item);
    }
  });
});
