import fc from 'fast-check';
import { decodeTag, encodeTag, isSigned, signTag } from './update-tag.js';

const epoch = '0123456789';
const snapshots = fc
  .record({
    xmin: fc.integer({ min: 3, max: 2 ** 31 }).map((xid) => xid + 5 * 2 ** 32),
    gaps: fc.array(fc.integer({ min: 1, max: 5000 }), { maxLength: 200 }),
    rest: fc.integer({ min: 0, max: 5000 }),
  })
  .map(({ xmin, gaps, rest }) => {
    let last = xmin - 1;
    const open = gaps.map((gap, index) => (last += index === 0 ? 1 : gap));
    return `${xmin}:${last + 1 + rest}:${open.join(',')}`;
  });

it('decodeTag returns the snapshot of a tag, and a tag has only characters that devices send unchanged', () => {
  fc.assert(
    fc.property(snapshots, (snapshot) => {
      const tag = encodeTag({ epoch, snapshot });
      expect(tag).toMatch(/^[A-Za-z0-9_.-]{14,4000}$/);
      expect(decodeTag(tag)).toEqual({ epoch, snapshot });
    }),
  );
});

it('isSigned accepts only signatures of the service, and decodeTag reads tags with and without a signature', () => {
  const tag = encodeTag({ epoch, snapshot: '8123456:8123460:8123456,8123458' });
  const signed = signTag(tag, 'secret');
  expect(signed).toMatch(/^0123456789\.4u43k\.4\.0-2\.-[0-9a-f]{16}$/);
  expect(decodeTag(signed)).toEqual(decodeTag(tag));
  expect(isSigned(signed, 'secret')).toBe(true);
  const forged = [tag, signTag(tag, 'other'), signed.replace('.4.', '.5.'), `${signed}0`, signed.slice(0, -1)];
  for (const text of forged) expect(isSigned(text, 'secret')).toBe(false);
});

it('encodeTag returns a short tag while few transactions are open', () => {
  expect(encodeTag({ epoch, snapshot: '8123456:8123460:8123456,8123458' })).toBe('0123456789.4u43k.4.0-2');
});

it('a shortened tag may omit changes that the device has seen, but never includes unseen changes', () => {
  const open = Array.from({ length: 3000 }, (_, index) => 1000 + 2 * index);
  const tag = encodeTag({ epoch, snapshot: `1000:8000:${open.join(',')}` });
  expect(decodeTag(tag)).toEqual({ epoch, snapshot: '1000:1000:' });
});

it.each([
  undefined,
  '',
  'null',
  '5',
  '2026-11-20T10:00:00Z',
  '8:9:',
  `${epoch}`,
  `${epoch}.a`,
  `${epoch}.a.b.`,
  `${epoch}.a.b.-`,
  `${epoch}.a.b.1-`,
  `${epoch}.a.b.1--1`,
  `${epoch}.a.2.1-0`,
  `${epoch}.a.2.2`,
  `${epoch}.a.0.0`,
  `${epoch}.0.1`,
  `${epoch}.zzzzzzzzzzz.zzzzzzzzzzz`,
  `${epoch}.a.b.c.d`,
  `${epoch}.A.b`,
  `x${epoch}.a.b`,
  `${epoch}.a.b\n`,
  `${epoch}.a.b'; DROP TABLE pass; --`,
  `${epoch}.1z141z4.1`,
  `${epoch}.1z141z3.1`,
])('decodeTag rejects %j as a tag', (text) => {
  expect(decodeTag(text)).toBeNull();
});

it('decodeTag rejects a tag that is longer than the service’s longest tag', () => {
  expect(decodeTag(`${epoch}.a.zzzz.${'1-'.repeat(1980)}1`)).not.toBeNull();
  expect(decodeTag(`${epoch}.a.zzzz.${'1-'.repeat(2000)}1`)).toBeNull();
});

it('decodeTag returns a snapshot that Postgres can read, or null, for any input', () => {
  const number = fc.stringMatching(/^[0-9a-z]{1,11}$/);
  const texts = fc.oneof(
    fc.string(),
    fc
      .tuple(number, number, fc.array(number, { maxLength: 5 }))
      .map(([low, span, gaps]) => [epoch, low, span, ...(gaps.length > 0 ? [gaps.join('-')] : [])].join('.')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const tag = decodeTag(text);
      if (!tag) return;
      const [low = '', high = '', open = ''] = tag.snapshot.split(':');
      const xids = [low, ...open.split(',').filter(Boolean), high].map(BigInt);
      expect([xids[0], xids.at(-1)].map((xid) => BigInt.asUintN(32, xid!))).not.toContain(0n);
      expect(xids[0]! >= 1n && xids.every((xid, i) => i === 0 || xid >= xids[i - 1]!)).toBe(true);
      expect(xids.slice(1, -1).every((xid) => xid < xids.at(-1)!)).toBe(true);
      expect(new Set(xids.slice(1, -1)).size).toBe(Math.max(0, xids.length - 2));
    }),
    { numRuns: 2000 },
  );
});
