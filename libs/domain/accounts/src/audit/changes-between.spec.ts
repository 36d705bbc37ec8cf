import fc from 'fast-check';
import { changesBetween } from './changes-between.js';

describe('changesBetween', () => {
  it('changesBetween returns the properties that differ, with their values before and after the change', () => {
    const before = { name: 'Engines', industry: null, seats: [1, 2], same: { a: 1 } };
    const after = { name: 'Engines Ltd', seats: [2, 1], same: { a: 1 }, until: new Date('2027-01-01T00:00:00Z') };
    expect(changesBetween(before, after)).toEqual({
      before: { name: 'Engines', seats: [1, 2], until: null },
      after: { name: 'Engines Ltd', seats: [2, 1], until: '2027-01-01T00:00:00.000Z' },
    });
  });

  it('changesBetween returns null if only the order of properties differs', () => {
    expect(changesBetween({ a: { x: 1, y: 2 }, b: undefined }, { b: null, a: { y: 2, x: 1 } })).toBeNull();
  });

  it('changesBetween also compares properties that are named like inherited ones, such as toString', () => {
    expect(changesBetween({ toString: 1 }, {})).toEqual({ before: { toString: 1 }, after: { toString: null } });
  });

  it('changesBetween returns all properties that differ, and no equal properties', () => {
    const settings = fc.dictionary(fc.string(), fc.option(fc.jsonValue()));
    fc.assert(
      fc.property(settings, settings, (before, after) => {
        const changes = changesBetween(before, after) ?? { before: {}, after: {} };
        expect(changesBetween({ ...before, ...changes.after }, after)).toBeNull();
        expect(changesBetween({ ...after, ...changes.before }, before)).toBeNull();
        for (const name of Object.keys(changes.after))
          expect(JSON.stringify(changes.before[name])).not.toBe(JSON.stringify(changes.after[name]));
      }),
    );
  });
});
