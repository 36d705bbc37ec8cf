import fc from 'fast-check';
import { DateTime, IANAZone } from 'luxon';
import type { MemberStatus } from './member.entity.js';
import { nextDue, reminderDue, reminderTime } from './reminder-schedule.js';

const at = (text: string, zone: string) => DateTime.fromISO(text, { zone }).toJSDate();
const there = (date: Date, zone: string) => DateTime.fromJSDate(date, { zone }).toFormat("yyyy-MM-dd'T'HH:mm ZZ");

describe('a reminder', () => {
  it.each([
    ['summer time begins in between', 'Europe/Berlin', '2026-04-10T18:00', 30, '2026-03-11T18:00 +01:00'],
    ['summer time ends in between', 'America/New_York', '2026-11-05T00:00', 7, '2026-10-29T00:00 -04:00'],
    ['half an hour of summer time begins', 'Australia/Lord_Howe', '2026-10-10T09:00', 7, '2026-10-03T09:00 +10:30'],
    ['a clock change skips its hour that day', 'Europe/Berlin', '2026-03-30T02:30', 1, '2026-03-29T03:30 +02:00'],
    [
      'a clock change skips its half hour that day',
      'Australia/Lord_Howe',
      '2026-10-05T02:15',
      1,
      '2026-10-04T02:45 +11:00',
    ],
    ['its hour occurs twice that day', 'Europe/Berlin', '2026-10-26T02:30', 1, '2026-10-25T02:30 +01:00'],
    ['the zone skipped its day', 'Pacific/Apia', '2011-12-31T10:00', 1, '2011-12-29T10:00 -10:00'],
    ['the zone skipped a day in between', 'Pacific/Apia', '2012-01-02T10:00', 5, '2011-12-28T10:00 -10:00'],
    ['the year before was a leap year', 'UTC', '2025-02-28T12:00', 365, '2024-02-29T12:00 +00:00'],
  ])(
    'a reminder is due a number of calendar days before the expiry, if possible at the same time of day (%s)',
    (_, zone, end, daysBefore, expected) => {
      expect(there(reminderTime(at(end, zone), { daysBefore }, zone), zone)).toBe(expected);
    },
  );

  it('all spellings of a time zone are one time zone in memory', () => {
    const end = new Date('2026-04-10T16:00:00Z');
    const names = new Set<string>();
    const create = jest.spyOn(IANAZone, 'create').mockImplementation((name) => {
      names.add(name);
      return new IANAZone(name);
    });
    for (const name of ['Europe/Berlin', 'europe/berlin', 'EUROPE/BERLIN', 'eUROPE/bERLIN']) {
      expect(reminderTime(end, { daysBefore: 30 }, name)).toEqual(new Date('2026-03-11T17:00:00Z'));
    }
    create.mockRestore();
    expect([...names]).toEqual(['Europe/Berlin']);
  });

  it('a reminder is due the set number of days before the expiry, at the same time of day unless the clocks skip it', () => {
    fc.assert(
      fc.property(expiries, zones, fc.integer({ min: 1, max: 365 }), (expiresAt, zone, daysBefore) => {
        const time = reminderTime(expiresAt, { daysBefore }, zone);
        expect(time < expiresAt).toBe(true);
        expect(reminderTime(expiresAt, { daysBefore: daysBefore + 1 }, zone) <= time).toBe(true);
        const wall = (date: Date) => DateTime.fromJSDate(date, { zone }).setZone('UTC', { keepLocalTime: true });
        const wanted = wall(expiresAt).minus({ days: daysBefore });
        const exists = DateTime.fromObject(wanted.toObject(), { zone }).hour === wanted.hour;
        if (wanted.toISODate() === '2011-12-30' && zone === 'Pacific/Apia') {
          expect(wall(time).toISO()).toBe(wanted.minus({ days: 1 }).toISO());
        } else {
          expect(wall(time).toISODate()).toBe(wanted.toISODate());
          if (exists) expect(Math.abs(wall(time).diff(wanted, 'minutes').minutes)).toBeLessThanOrEqual(30);
          if (exists && zone !== 'Australia/Lord_Howe') expect(wall(time).toISO()).toBe(wanted.toISO());
        }
      }),
      { numRuns: 500 },
    );
  });
});

/** Times around clock changes, and arbitrary times. */
const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia');
const expiries = fc.oneof(
  fc.date({ min: new Date('2010-01-01'), max: new Date('2035-12-31'), noInvalidDate: true }),
  fc
    .tuple(
      fc.constantFrom('2011-12-31', '2026-03-29', '2026-10-25', '2026-04-05', '2026-10-04', '2026-11-01'),
      fc.nat(2880),
    )
    .map(([day, minutes]) => new Date(Date.parse(day) + (minutes - 720) * 60_000)),
);
const rules = fc.record({
  timeZone: zones,
  reminders: fc.uniqueArray(
    fc.record({ key: fc.string({ minLength: 1 }), daysBefore: fc.integer({ min: 1, max: 60 }) }),
    { selector: ({ key }) => key, maxLength: 6 },
  ),
});

describe('what is due', () => {
  const settings = {
    timeZone: 'UTC',
    reminders: [
      { key: 'month', daysBefore: 30 },
      { key: 'week', daysBefore: 7 },
      { key: 'day', daysBefore: 1 },
    ],
  };
  const expiresAt = new Date('2026-12-31T12:00:00Z');
  const day = (text: string) => new Date(`2026-${text}T12:00:00Z`);

  it('nextDue returns the next reminder, and returns the expiry after the last reminder', () => {
    const member = { status: 'active', expiresAt } as const;
    expect(nextDue(member, settings, day('11-01'))).toEqual(day('12-01'));
    expect(nextDue(member, settings, day('12-01'))).toEqual(day('12-24'));
    expect(nextDue(member, settings, day('12-30'))).toEqual(expiresAt);
  });

  it('nextDue returns the expiry for a suspended member, and null without an expiry or with another status', () => {
    expect(nextDue({ status: 'suspended', expiresAt }, settings, day('11-01'))).toEqual(expiresAt);
    expect(nextDue({ status: 'active', expiresAt: null }, settings, day('11-01'))).toBeNull();
    for (const status of ['pending', 'expired', 'cancelled'] as const) {
      expect(nextDue({ status, expiresAt }, settings, day('11-01'))).toBeNull();
    }
  });

  it('reminderDue returns only the latest of several missed reminders', () => {
    const member = { status: 'active', expiresAt } as const;
    expect(reminderDue(member, settings, day('11-01'), day('12-01'))?.key).toBe('month');
    expect(reminderDue(member, settings, day('11-01'), day('12-26'))?.key).toBe('week');
    expect(reminderDue(member, settings, day('12-01'), day('12-01'))).toBeNull();
    expect(reminderDue(member, settings, day('11-01'), expiresAt)).toBeNull();
    expect(reminderDue({ status: 'suspended', expiresAt }, settings, day('11-01'), day('12-26'))).toBeNull();
  });

  it('reminderDue does not repeat a sent reminder whose number of days has changed', () => {
    const member = { status: 'active', expiresAt, remindersSent: { week: '2026-12-20T12:00:00.000Z' } } as const;
    expect(nextDue(member, settings, day('12-20'))).toEqual(day('12-30'));
    expect(reminderDue(member, settings, day('12-20'), day('12-25'))).toBeNull();
  });

  it('each reminder is sent at most once, in order and before the expiry, whenever the job runs', () => {
    const looks = fc.array(fc.integer({ min: 1, max: 20 * 24 * 60 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(expiries, rules, looks, (end, some, minutes) => {
        const member = { status: 'active' as MemberStatus, expiresAt: end };
        let now = end.getTime() - 62 * 86_400_000;
        let after = new Date(now);
        const sent: number[] = [];
        for (const step of minutes) {
          now += step * 60_000;
          const due = nextDue(member, some, after);
          const reminder = reminderDue(member, some, after, new Date(now));
          // A reminder is due if and only if its time has come but the expiry has not.
          expect(reminder !== null).toBe(due !== null && due.getTime() <= now && now < end.getTime());
          if (!reminder) continue;
          sent.push(reminder.daysBefore);
          after = new Date(now);
        }
        // If the zone skips a day, two reminders may be due at the same time. Then only the one closest to the expiry
        // is sent.
        expect(sent).toEqual([...new Set(sent)].sort((one, other) => other - one));
      }),
      { numRuns: 300 },
    );
  });
});
