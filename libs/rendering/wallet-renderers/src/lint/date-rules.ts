import type { Rule } from './finding.js';
import { problemIf } from './wording.js';

/** Rules on the validity period of a pass. */
export const dateRules: readonly Rule[] = [
  {
    id: 'expiry-before-valid-from',
    severity: 'error',
    wallet: 'all',
    title: 'A pass expires before it becomes valid',
    why: 'It would never be valid.',
    fix: 'give an expiry later than validFrom',
    pass: ({ validFrom, expiresAt }) =>
      problemIf(validFrom !== null && expiresAt !== null && expiresAt <= validFrom, 'expiry', () => {
        return `expiry must be later than validFrom, ${validFrom?.toISOString() ?? ''}`;
      }),
  },
  {
    id: 'expired',
    severity: 'warning',
    wallet: 'all',
    title: 'A pass has expired',
    why: 'Phones move it to the expired passes, where few people look.',
    fix: 'give an expiry in the future, or none',
    pass: ({ expiresAt }, _, { now }) =>
      problemIf(now !== undefined && expiresAt !== null && expiresAt <= now, 'expiry', () => {
        return `${expiresAt?.toISOString() ?? ''} is past`;
      }),
  },
  {
    id: 'expires-before-event',
    severity: 'warning',
    wallet: 'all',
    title: 'A pass expires before its event begins',
    why: 'At the door the phone shows it as expired.',
    fix: 'give an expiry after the event, or none',
    pass: ({ expiresAt }, { startDate }) =>
      problemIf(expiresAt !== null && startDate !== null && expiresAt <= startDate, 'expiry', () => {
        return `${expiresAt?.toISOString() ?? ''} is before the start, ${startDate?.toISOString() ?? ''}`;
      }),
  },
  {
    id: 'event-past',
    severity: 'warning',
    wallet: 'all',
    title: 'The event has already begun',
    why: 'Some time after the date, phones move passes to the expired ones.',
    fix: 'set the next date',
    template: ({ startDate }, { now }) =>
      problemIf(now !== undefined && startDate !== null && startDate <= now, 'startDate', () => {
        return `${startDate?.toISOString() ?? ''} is past`;
      }),
  },
];
