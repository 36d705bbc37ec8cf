import { certificateStatus, daysLeft, expiryStage, noticeHorizon } from './expiry-stage.js';

const end = new Date('2027-03-01T12:00:00.000Z');
const before = (days: number, ms = 0) => new Date(end.getTime() - days * 86_400_000 - ms);

it.each([
  ['61 days before', before(61), null, 'valid', 61],
  ['a moment over 60 days before', before(60, 1), null, 'valid', 60],
  ['60 days before', before(60), 60, 'expiring', 60],
  ['a moment over 30 days before', before(30, 1), 60, 'expiring', 30],
  ['30 days before', before(30), 30, 'expiring', 30],
  ['7 days before', before(7), 7, 'expiring', 7],
  ['an hour before', before(0, 3_600_000), 7, 'expiring', 0],
  ['in its last moment', end, 7, 'expiring', 0],
  ['a moment after', before(0, -1), 'expired', 'expired', 0],
  ['a year after', before(-365), 'expired', 'expired', 0],
] as const)(
  'expiryStage, certificateStatus and daysLeft depend on the time until the expiry: %s',
  (_, now, stage, status, days) => {
    expect([expiryStage(end, now), certificateStatus(end, now), daysLeft(end, now)]).toEqual([stage, status, days]);
  },
);

it('noticeHorizon returns the latest expiry of a certificate for which a notice is due now', () => {
  expect(expiryStage(noticeHorizon(end), end)).toBe(60);
});
