import { passState } from './pass-state.js';
import { aPass, aTemplate } from './render.fixtures.js';

const now = new Date('2026-11-21T10:00:00.000Z');
const earlier = new Date(now.getTime() - 1);
const later = new Date(now.getTime() + 1);

it.each([
  ['valid between its dates', { validFrom: earlier, expiresAt: later }, null, 'valid'],
  ['valid without dates', { expiresAt: null }, null, 'valid'],
  ['valid from the exact instant of validFrom', { validFrom: now }, null, 'valid'],
  ['not yet valid before validFrom', { validFrom: later }, null, 'not_yet_valid'],
  ['expired from the exact instant of expiresAt', { expiresAt: now }, null, 'expired'],
  ['redeemed even if it has expired since', { redeemedAt: earlier, expiresAt: earlier }, null, 'redeemed'],
  ['voided even if it was redeemed before', { voidedAt: earlier, redeemedAt: earlier }, null, 'voided'],
  ['voided by an archived template', {}, earlier, 'voided'],
])('a pass is %s', (_, changes, archivedAt, state) => {
  expect(passState(aTemplate('offer', { archivedAt }), aPass('offer', changes), now)).toBe(state);
});
