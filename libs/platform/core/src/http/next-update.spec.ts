import fc from 'fast-check';
import { nextUpdate } from './next-update.js';

const time = fc.date({ min: new Date(0), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true });
const second = (date: Date) => Math.floor(date.getTime() / 1000);

it('nextUpdate returns the current time when a second has passed since the previous update', () => {
  const now = new Date('2026-11-20T10:00:01.500Z');
  expect(nextUpdate(now, new Date('2026-11-20T10:00:00.500Z'))).toEqual(now);
});

it('nextUpdate returns a time that is not in the past and is at least a second after all previous updates', () => {
  fc.assert(
    fc.property(fc.array(time, { minLength: 1, maxLength: 3 }), time, (previous, now) => {
      const update = nextUpdate(now, ...previous);
      for (const before of previous) expect(second(update)).toBeGreaterThan(second(before));
      expect(update.getTime()).toBeGreaterThanOrEqual(now.getTime());
    }),
  );
});
