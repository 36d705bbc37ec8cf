import fc from 'fast-check';
import { bodyValidation } from '../http/body-validation.js';
import { decodeCursor } from './cursor.js';
import { jsonSize, PAGE_BYTES, PageQuery, toPage } from './page.js';

const anything = () => true;

describe('toPage', () => {
  const page = (rows: number[], limit: number) =>
    toPage(
      rows,
      limit,
      (row) => [String(row)],
      (row) => ({ row }),
    );

  it('toPage returns at most `limit` rows, with a cursor after the last row if there are more', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 20 }), fc.integer({ min: 1, max: 19 }), (all, limit) => {
        const rows = all.slice(0, limit + 1);
        const { data, nextCursor } = page(rows, limit);
        expect(data).toEqual(rows.slice(0, limit).map((row) => ({ row })));
        const last = rows.length > limit ? [String(rows[limit - 1])] : null;
        expect(nextCursor === null ? null : decodeCursor(nextCursor, anything)).toEqual(last);
      }),
    );
  });

  it('toPage returns an empty page without a cursor if there are no rows', () => {
    expect(page([], 20)).toEqual({ data: [], nextCursor: null });
  });
});

describe('PageQuery', () => {
  const parse = (query: object) => bodyValidation.transform(query, { type: 'query', metatype: PageQuery });

  it('PageQuery has a default limit of 20', async () => {
    expect(await parse({})).toEqual({ limit: 20 });
  });

  it.each(['1', '100', '007'])('PageQuery accepts limit=%s', async (limit) => {
    expect(await parse({ limit })).toEqual({ limit: Number(limit) });
  });

  it.each(['0', '101', '-1', '1.5', '1e1', ' 1', '', '0x10', 'abc', '9'.repeat(30), 'NaN'])(
    '400 validation_failed for limit=%j',
    async (limit) => {
      await expect(parse({ limit })).rejects.toThrow(/limit must/);
    },
  );
});

describe('pages of large items', () => {
  it('toPage ends a page before it reaches a quarter of a megabyte, and the pages together contain every item', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 170_000 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 12 }), (lengths, limit) => {
        const rows = lengths.map((length, id) => ({ id, text: 'x'.repeat(length) }));
        const seen: number[] = [];
        for (let from = 0; ;) {
          const page = toPage(
            rows.slice(from, from + limit + 1),
            limit,
            ({ id }) => [String(id)],
            (row) => row,
          );
          expect(page.data.length).toBeGreaterThan(0);
          if (page.data.length > 1) expect(JSON.stringify(page.data).length).toBeLessThan(PAGE_BYTES + 100);
          seen.push(...page.data.map(({ id }) => id));
          if (page.nextCursor === null) break;
          from = Number(decodeCursor(page.nextCursor, anything)?.[0]) + 1;
        }
        expect(seen).toEqual(rows.map(({ id }) => id));
      }),
      { numRuns: 30 },
    );
  });

  it('jsonSize returns the length of the JSON without escapes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: true }), (value) => {
        const text = JSON.stringify(value);
        const escapes = text.match(/\\(?:u....|.)/g) ?? [];
        const written = Buffer.byteLength(text) - escapes.reduce((sum, escape) => sum + escape.length - 1, 0);
        expect(jsonSize(value)).toBeGreaterThanOrEqual(written);
        expect(jsonSize(value)).toBeLessThan(written * 1.5 + 10);
      }),
    );
  });
});
