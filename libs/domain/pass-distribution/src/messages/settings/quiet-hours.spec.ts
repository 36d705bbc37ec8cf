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
  ])('endOfQuiet returns the earliest time to send a message: %s', (_, at, end) => {
    expect(endOfQuiet(new Date(at), night('Europe/Berlin')).toISOString()).toBe(end);
  });

  it('quiet hours within one day end on that day', () => {
    expect(endOfQuiet(new Date('2026-06-20T11:30:00.000Z'), noon).toISOString()).toBe('2026-06-20T12:00:00.000Z');
    expect(isQuiet(new Date('2026-06-20T12:00:00.000Z'), noon)).toBe(false);
  });

  it('quiet hours end at the clock change if it skips their end', () => {
    const quiet = { timeZone: 'Europe/Berlin', from: 22 * 60, until: 2 * 60 + 30 };
    expect(endOfQuiet(new Date('2027-03-27T23:00:00.000Z'), quiet).toISOString()).toBe('2027-03-28T01:00:00.000Z');
  });

  it('endOfQuiet returns the first minute outside of quiet hours when clocks go forward', () => {
    const changes = [
      ['Europe/Berlin', '2027-03-28T01:00Z'],
      ['America/New_York', '2027-03-14T07:00Z'],
      ['Australia/Lord_Howe', '2026-10-03T15:30Z'],
      ['Asia/Beirut', '2022-03-26T22:00Z'],
      ['Antarctica/Troll', '2026-03-29T01:00Z'],
      ['Pacific/Apia', '2011-12-30T10:00Z'],
    ] as const;
    // A clock change skips some of these times.
    const minute = fc.oneof(fc.integer({ min: 0, max: 4 * 60 }), fc.integer({ min: 0, max: 1439 }));
    const before = fc.integer({ min: -120, max: 25 * 60 });
    fc.assert(
      fc.property(fc.constantFrom(...changes), minute, minute, before, ([timeZone, change], from, until, minutes) => {
        fc.pre(from !== until);
        const quiet = { timeZone, from, until };
        const at = new Date(Date.parse(change) - minutes * 60_000);
        let first = at.getTime();
        while (isQuiet(new Date(first), quiet)) first += 60_000;
        expect(endOfQuiet(at, quiet)).toEqual(new Date(first));
      }),
      { numRuns: 300 },
    );
  });

  it('quiet hours keep at most 200 formatters, because a time zone has many spellings', () => {
    const at = new Date('2026-11-20T12:00:00.000Z');
    const format = jest.spyOn(Intl, 'DateTimeFormat');
    for (const timeZone of ['EuRoPe/BeRlIn', ...spellings('America/New_York', 200), 'EuRoPe/BeRlIn']) {
      expect(isQuiet(at, { ...noon, timeZone })).toBe(timeZone === 'EuRoPe/BeRlIn');
    }
    const made = format.mock.calls.filter(([, options]) => options?.timeZone === 'EuRoPe/BeRlIn');
    format.mockRestore();
    expect(made).toHaveLength(2);
  });

  it('endOfQuiet returns a time outside of quiet hours, from the given time to 26 hours after it', () => {
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

/** Returns different spellings of the name of a time zone, in which upper and lower case are the same. */
function spellings(timeZone: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => {
    let place = 0;
    return timeZone.replace(/[a-z]/gi, (letter) => ((n >> place++) & 1 ? letter.toUpperCase() : letter.toLowerCase()));
  });
}
