import { firstSights, verdictOf } from './scan.js';

const now = Date.parse('2027-01-02T12:00:00.000Z');
const verdict = (pass: object) => verdictOf({ voided: false, ...pass }, now, (time) => `at ${time.slice(0, 10)}`);

it.each([
  ['Valid', true, 'Not redeemed yet.', {}],
  ['Valid', true, 'Not redeemed yet.', { validFrom: '2027-01-01T00:00:00.000Z', expiry: '2027-02-01T00:00:00.000Z' }],
  ['Void', false, 'This pass is no longer valid.', { voided: true }],
  ['Already redeemed', false, 'Redeemed at 2027-01-01.', { redeemedAt: '2027-01-01T00:00:00.000Z' }],
  ['Expired', false, 'Expired at 2027-01-01.', { expiry: '2027-01-01T00:00:00.000Z' }],
  ['Not valid yet', false, 'Valid from at 2027-03-01.', { validFrom: '2027-03-01T00:00:00.000Z' }],
])('a scanned pass is judged: %s', (title, isRedeemable, text, pass) => {
  expect(verdict(pass)).toMatchObject({ title, isRedeemable, text });
});

it('a code that stays in sight of the camera is one scan, and another scan after it was out of sight', () => {
  const isFirst = firstSights();
  expect([isFirst('A', 0), isFirst('A', 100), isFirst('A', 2100)]).toEqual([true, false, false]);
  expect([isFirst('A', 4000), isFirst('A', 6001)]).toEqual([false, true]);
});

it('two codes that stay in sight of the camera are one scan each', () => {
  const isFirst = firstSights();
  const seen = [0, 150, 300, 2400].flatMap((now) => ['A', 'B'].filter((code) => isFirst(code, now)));
  expect(seen).toEqual(['A', 'B', 'A', 'B']);
  expect([isFirst('A', 2500), isFirst('B', 4500), isFirst('A', 4600)]).toEqual([false, true, true]);
});

it('the times of 100 codes are remembered, and the code seen longest ago is forgotten first', () => {
  const isFirst = firstSights();
  for (let code = 0; code <= 100; code += 1) expect(isFirst(String(code), 0)).toBe(true);
  expect([isFirst('1', 1), isFirst('0', 1), isFirst('1', 2), isFirst('2', 2)]).toEqual([false, true, false, true]);
});
