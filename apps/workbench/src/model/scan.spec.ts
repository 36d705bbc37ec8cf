import { sightsOf, verdictOf } from './scan.js';

const now = Date.parse('2027-01-02T12:00:00.000Z');
const verdict = (pass: object) => verdictOf({ voided: false, ...pass }, now, (time) => `at ${time.slice(0, 10)}`);

it.each([
  ['Valid', true, 'Not redeemed yet.', {}],
  ['Valid', true, 'Not redeemed yet.', { validFrom: '2027-01-01T00:00:00.000Z', expiry: '2027-02-01T00:00:00.000Z' }],
  ['Void', false, 'This pass is no longer valid.', { voided: true }],
  ['Already redeemed', false, 'Redeemed at 2027-01-01.', { redeemedAt: '2027-01-01T00:00:00.000Z' }],
  ['Expired', false, 'Expired at 2027-01-01.', { expiry: '2027-01-01T00:00:00.000Z' }],
  ['Not valid yet', false, 'Valid from at 2027-03-01.', { validFrom: '2027-03-01T00:00:00.000Z' }],
])('a scanned pass gets the verdict "%s"', (title, isRedeemable, text, pass) => {
  expect(verdict(pass)).toMatchObject({ title, isRedeemable, text });
});

/** Returns a function that takes one picture and returns the new scans in it. */
function newScans() {
  const sights = sightsOf();
  return (codes: string, now: number) =>
    sights([...codes], now)
      .filter(({ isNew }) => isNew)
      .map(({ code }) => code)
      .join('');
}

it('a code in sight of the camera is one scan, and a new scan only after it was out of sight', () => {
  const scans = newScans();
  expect([scans('A', 0), scans('A', 100), scans('A', 2100)]).toEqual(['A', '', '']);
  expect([scans('A', 4000), scans('A', 6001)]).toEqual(['', 'A']);
});

it('each of two codes that stay in view of the camera is scanned once', () => {
  const scans = newScans();
  expect([0, 150, 300, 2400].map((now) => scans('AB', now))).toEqual(['AB', '', '', 'AB']);
  expect([scans('A', 2500), scans('B', 4500), scans('A', 4600)]).toEqual(['', 'B', 'A']);
});

it('a code is reported again after four pictures without it, but not after three', () => {
  const sights = sightsOf();
  const pictures = ['A', '', '', '', 'A', '', '', '', '', 'A', 'A'];
  const seen = pictures.map((codes, at) => sights([...codes], at * 150));
  expect(seen.flat()).toEqual([
    { code: 'A', isNew: true },
    { code: 'A', isNew: false },
  ]);
  expect(seen[9]).toHaveLength(1);
});

it('only 100 codes are remembered, and the code that was seen longest ago is forgotten first', () => {
  const sights = sightsOf();
  const isFirst = (code: string, now: number) => sights([code], now).some(({ isNew }) => isNew);
  for (let code = 0; code <= 100; code += 1) expect(isFirst(String(code), 0)).toBe(true);
  expect([isFirst('1', 1), isFirst('0', 1), isFirst('1', 2), isFirst('2', 2)]).toEqual([false, true, false, true]);
});
