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
  expect([isFirst('B', 2200), isFirst('A', 2300), isFirst('A', 4400)]).toEqual([true, true, true]);
});
