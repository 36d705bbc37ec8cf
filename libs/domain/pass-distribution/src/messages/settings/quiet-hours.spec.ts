import fc from 'fast-check';
import { endOfQuiet, isQuiet, type QuietHours } from './quiet-hours.js';

const night = (timeZone: string): QuietHours => ({ timeZone, from: 22 * 60, until: 8 * 60 });
const noon: QuietHours = { timeZone: 'Europe/Berlin', from: 12 * 60, until: 14 * 60 };

describe('quiet hours', () => {
  it.each([
    ['21:59 in Berlin', '2026-11-20T20:59:59.999Z', '2026-11-20T20:59:59.999Z'],
    ['22:00 in Berlin', '2026-11-20T21:00:00.000Z', '2026-11-21T07:00:00.000Z'],
    ['07:59 in Berlin', '2026-11-21T06:59:59.999Z', '2026-11-21T07:00:00.000Z'],
    ['08:00 in Berlin', '2026-11-21T07:00:00.000Z', '2026-11-21T07:00:00.000Z'],
    ['a night in which clocks are put forward', '2026-03-28T22:30:15.000Z', '2026-03-29T06:00:00.000Z'],
    ['a night in which clocks are put back', '2026-10-24T21:30:15.000Z', '2026-10-25T07:00:00.000Z'],
  ])('endOfQuiet returns the time from which a message may be sent: %s', (_, at, end) => {
    expect(endOfQuiet(new Date(at), night('Europe/Berlin')).toISOString()).toBe(end);
  });

  it('quiet hours within one day end on that day', () => {
    expect(endOfQuiet(new Date('2026-06-20T11:30:00.000Z'), noon).toISOString()).toBe('2026-06-20T12:00:00.000Z');
    expect(isQuiet(new Date('2026-06-20T12:00:00.000Z'), noon)).toBe(false);
  });

  it('the end of quiet hours is not in quiet hours, not before the given time, and less than 26 hours later', () => {
    const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia'];
    const minute = fc.integer({ min: 0, max: 1439 });
    const time = fc.date({ min: new Date('2011-01-01'), max: new Date('2030-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(fc.constantFrom(...zones), minute, minute, time, (timeZone, from, until, at) => {
        fc.pre(from !== until);
        const quiet = { timeZone, from, until };
        const end = endOfQuiet(at, quiet);
        expect(isQuiet(end, quiet)).toBe(false);
        expect(end.getTime()).toBeGreaterThanOrEqual(at.getTime());
        expect(end.getTime() - at.getTime()).toBeLessThan(26 * 3_600_000);
      }),
    );
  });
});
