import type { RenderTemplate } from '../model.js';
import { endOfDay, venueTime } from '../venue-time.js';
import { eventPlace } from '../venue-time-zone.js';
import type { Rule } from '../finding.js';
import { problemIf } from '../problem-text.js';

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
    id: 'valid-after-event',
    severity: 'warning',
    wallet: 'all',
    title: 'A pass becomes valid after its event',
    why: 'The pass is not valid yet when its holder arrives.',
    fix: 'give a validFrom before the event, or none',
    pass: ({ validFrom }, template) => {
      const last = lastMoment(template);
      return problemIf(validFrom !== null && last !== null && validFrom > last, 'validFrom', () => {
        return `${validFrom?.toISOString() ?? ''} is after the event, ${last?.toISOString() ?? ''}`;
      });
    },
  },
  {
    id: 'event-past',
    severity: 'warning',
    wallet: 'all',
    title: 'The event is over, or has begun without a known end',
    why: 'Some time after the date, phones move passes to the expired ones.',
    fix: 'set the next date',
    template: (template, { now }) => {
      const { startDate, startDay, endDate } = template;
      // An event that has begun lasts until its end, or until the end of its day if its start has no time of day.
      const last = lastMoment(template);
      return problemIf(now !== undefined && last !== null && last <= now, endDate ? 'endDate' : 'startDate', () => {
        return `${endDate?.toISOString() ?? startDay ?? startDate?.toISOString() ?? ''} is past`;
      });
    },
  },
  {
    id: 'event-ends-before-start',
    severity: 'error',
    wallet: 'all',
    title: 'An event ends before it starts',
    why: 'Phones would not show it at its time.',
    fix: 'give an endDate later than startDate',
    template: ({ startDate, startDay, endDate }) =>
      problemIf(Boolean(startDate && endDate && endDate <= startDate), 'endDate', () => {
        return `endDate must be later than startDate, ${startDay ?? startDate?.toISOString() ?? ''}`;
      }),
  },
  {
    id: 'doors-after-start',
    severity: 'error',
    wallet: 'all',
    title: 'The doors of an event open after it starts or ends',
    why: 'Holders would come too late.',
    fix: 'give a doorsOpen at or before startDate',
    template: (template) => {
      const { startDate, startDay, endDate, doorsOpen } = template;
      const late = problemIf(opensLate(template), 'doorsOpen', () => {
        return `doorsOpen must not be later than startDate, ${startDay ?? startDate?.toISOString() ?? ''}`;
      });
      if (late.length > 0 || !startDay || !doorsOpen || !endDate || doorsOpen < endDate) return late;
      return [
        {
          path: 'doorsOpen',
          message: `doorsOpen must be earlier than endDate, ${endDate.toISOString()}`,
          fix: 'give a doorsOpen before endDate',
        },
      ];
    },
  },
  {
    id: 'event-zone-unknown',
    severity: 'warning',
    wallet: 'all',
    title: 'The time zone of an event is unknown',
    why: 'Without a place, Apple Wallet shows the time in the zone of the phone, Google Wallet and the web in UTC.',
    fix: 'give the location of the event',
    template: (template) =>
      problemIf(template.startDate !== null && !template.startDay && eventPlace(template) === null, 'startDate', () => {
        return 'the event has no location, and its locations do not share a time zone';
      }),
  },
];

/**
 * Returns the end of an event. If the event has no end, returns its start; if the start has no time of day, returns the
 * end of its day.
 */
function lastMoment(template: RenderTemplate): Date | null {
  const { startDate, startDay, endDate } = template;
  if (endDate) return endDate;
  return startDate && startDay ? endOfDay(startDay, eventPlace(template)) : startDate;
}

/**
 * Returns true if the doors open after the start of an event. If the start has no time of day, returns true if the
 * doors open after its day.
 */
function opensLate(template: RenderTemplate): boolean {
  const { startDate, startDay, doorsOpen } = template;
  if (!startDate || !doorsOpen) return false;
  if (!startDay) return doorsOpen > startDate;
  return venueTime(doorsOpen, eventPlace(template)).slice(0, startDay.length) > startDay;
}
