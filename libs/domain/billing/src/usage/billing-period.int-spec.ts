import { testDatabase, type TestDatabase } from '@passwright/testing';
import fc from 'fast-check';
import { Client } from 'pg';

interface Period {
  readonly starts: Date;
  readonly ends: Date;
}

let database: TestDatabase;
let client: Client;

beforeAll(async () => {
  database = await testDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  // Use a zone whose days begin at other times than in UTC, and sometimes have 23 or 25 hours.
  await client.query("SET TimeZone = 'America/St_Johns'");
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** Returns the period that contains `at`, calculated from the stored period. */
async function periodAt(told: Period, period: 'month' | 'year', at: Date): Promise<Period> {
  const { rows } = await client.query<Period>('SELECT starts, ends FROM billing_period($1, $2, $3, $4)', [
    told.starts,
    told.ends,
    period,
    at,
  ]);
  return rows[0] as Period;
}

/** Returns the time `months` after `start` in UTC: the same day, or the last day of a shorter month. */
function monthsAfter(start: Date, months: number): Date {
  const [year, month] = [start.getUTCFullYear(), start.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const time = new Date(start);
  time.setUTCFullYear(year, month, Math.min(start.getUTCDate(), lastDay));
  return time;
}

const days = (year: number) =>
  fc.constantFrom(`${year}-01-29`, `${year}-01-31`, `${year}-02-28`, `${year}-03-31`, `${year}-11-30`, `${year}-12-31`);
const starts = fc
  .tuple(
    fc.oneof(fc.constant('2028-02-29'), fc.integer({ min: 2024, max: 2032 }).chain(days)),
    fc.constantFrom('00:00:00.000', '10:00:00.000', '23:59:59.999'),
  )
  .map(([day, time]) => new Date(`${day}T${time}Z`));
const startsOfAnyDay = fc.oneof(
  starts,
  fc.date({ min: new Date('2024-01-01'), max: new Date('2033-01-01'), noInvalidDate: true }),
);

it('monthly periods begin on the same day of each month, or on the last day of a shorter month', async () => {
  await fc.assert(
    fc.asyncProperty(startsOfAnyDay, fc.nat(40), fc.integer({ min: -40, max: 40 }), async (start, known, wanted) => {
      const nth = (n: number): Period => ({ starts: monthsAfter(start, n), ends: monthsAfter(start, n + 1) });
      const { starts: first, ends } = nth(wanted);
      for (const at of [first, new Date(ends.getTime() - 1)])
        expect(await periodAt(nth(known), 'month', at)).toEqual(nth(wanted));
    }),
    { numRuns: 200 },
  );
});

it('yearly periods that began on 29 February begin on 29 February in every later leap year', async () => {
  await fc.assert(
    fc.asyncProperty(startsOfAnyDay, fc.nat(12), async (start, wanted) => {
      const nth = (n: number): Period => ({
        starts: monthsAfter(start, 12 * n),
        ends: monthsAfter(start, 12 * n + 12),
      });
      expect(await periodAt(nth(0), 'year', nth(wanted).starts)).toEqual(nth(wanted));
    }),
    { numRuns: 100 },
  );
});

it('the billing periods after a trial begin when the trial ends', async () => {
  await fc.assert(
    fc.asyncProperty(startsOfAnyDay, fc.integer({ min: 1, max: 27 }), fc.nat(30), async (start, length, wanted) => {
      const ends = new Date(start.getTime() + length * 86_400_000);
      expect(await periodAt({ starts: start, ends }, 'month', monthsAfter(ends, wanted))).toEqual({
        starts: monthsAfter(ends, wanted),
        ends: monthsAfter(ends, wanted + 1),
      });
    }),
    { numRuns: 100 },
  );
});
