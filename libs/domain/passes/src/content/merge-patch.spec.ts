import fc from 'fast-check';
import { applyMergePatch, type JsonRecord } from './merge-patch.js';

const { record } = fc.letrec<{ value: unknown; record: JsonRecord }>((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, fc.jsonValue({ maxDepth: 1 }), tie('record')),
  record: fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', 'toString'), tie('value'), { maxKeys: 4 }),
}));

describe('applyMergePatch', () => {
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])(
    'applyMergePatch applied to %j with the patch %j returns the result of RFC 7396 appendix A: %j',
    (target, patch, result) => {
      expect(applyMergePatch(target, patch)).toEqual(result);
    },
  );

  it('an empty patch changes nothing, and a repeated patch changes nothing more', () => {
    fc.assert(
      fc.property(record, record, (target, patch) => {
        expect(applyMergePatch(target, {})).toEqual(target);
        const once = applyMergePatch(target, patch);
        expect(applyMergePatch(once, patch)).toEqual(once);
      }),
    );
  });

  it('a merge patch does not change its arguments or any prototype', () => {
    fc.assert(
      fc.property(record, record, (target, patch) => {
        const before = JSON.stringify([target, patch]);
        const result = applyMergePatch(target, patch);
        expect(JSON.stringify([target, patch])).toBe(before);
        expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
    );
  });
});
