import fc from 'fast-check';
import { makeChanges, newPass } from './pass-changes.js';
import { currentContent } from './pass-content.js';
import { aPass, aTemplate, now } from './pass.fixtures.js';

const later = (ms: number) => new Date(now.getTime() + ms);

it('newPass marks a pass as expired only if it is issued after its expiry', () => {
  const issue = (expiresAt: Date | null) =>
    newPass(aTemplate('offer'), 'ada', { ...currentContent(aPass()), expiresAt }, null, now).expiredAt;
  expect([issue(later(-1000)), issue(now), issue(later(1)), issue(null)]).toEqual([now, now, null, null]);
});

describe('makeChanges', () => {
  it('makeChanges increments the version of a changed pass and sets updatedAt', () => {
    const pass = aPass();
    expect(makeChanges(pass, { code: 'NEW' }, now, later(5000))).toBe('content');
    expect(pass).toMatchObject({ code: 'NEW', version: 2, updatedAt: later(5000) });
  });

  it('makeChanges increments the version after a change of the metadata, but does not set updatedAt', () => {
    const pass = aPass();
    expect(makeChanges(pass, { metadata: { a: 1 } }, now, later(5000))).toBe('metadata');
    expect(pass).toMatchObject({ metadata: { a: 1 }, version: 2, updatedAt: now });
  });

  it('makeChanges does not change a pass that already has the same values, in any order of properties', () => {
    const pass = aPass(undefined, { metadata: { a: 1, b: [{ c: 2, d: 3 }] }, validFrom: now });
    const before = structuredClone({ ...pass });
    const same = { metadata: { b: [{ d: 3, c: 2 }], a: 1 }, validFrom: new Date(now), fields: [] };
    expect(makeChanges(pass, same, now, later(5000))).toBe('nothing');
    expect({ ...pass }).toEqual(before);
  });

  it('makeChanges dates a change of a pass after the last change of its template', () => {
    const pass = aPass();
    makeChanges(pass, { code: 'NEW' }, later(9500), later(5000));
    expect(pass.updatedAt).toEqual(later(10_500));
  });

  it('makeChanges clears expiredAt if an expired pass gets a later expiry', () => {
    const pass = aPass(undefined, { expiresAt: now, expiredAt: now });
    makeChanges(pass, { code: 'NEW' }, now, later(5000));
    expect(pass.expiredAt).toEqual(now);
    makeChanges(pass, { expiresAt: later(60_000) }, now, later(5000));
    expect(pass.expiredAt).toBeNull();
  });

  it('makeChanges does not set updatedAt when an expired pass is voided, because phones already show it as void', () => {
    const pass = aPass(undefined, { expiresAt: now, expiredAt: now });
    const { updatedAt } = pass;
    expect(makeChanges(pass, { voidedAt: later(5000) }, now, later(5000))).toBe('state');
    expect(pass).toMatchObject({ voidedAt: later(5000), version: 2, updatedAt });
    expect(makeChanges(pass, { voidedAt: null, expiresAt: later(60_000) }, now, later(6000))).toBe('content');
  });

  it.each([
    ['before', -1000],
    ['at', 0],
  ])('an expiry that is set to a time %s the time of the change also marks the pass as expired', (_, ms) => {
    const pass = aPass();
    makeChanges(pass, { expiresAt: later(5000 + ms) }, now, later(5000));
    expect(pass).toMatchObject({ expiredAt: later(5000), version: 2 });
    makeChanges(pass, { expiresAt: null }, now, later(6000));
    expect(pass.expiredAt).toBeNull();
  });

  it('makeChanges moves updatedAt by at least a second with each change, even if the clock goes back', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -10_000, max: 10_000 }), { maxLength: 20 }), (times) => {
        const pass = aPass();
        for (const [count, ms] of times.entries()) {
          const before = pass.updatedAt.getTime();
          makeChanges(pass, { code: `C${count}` }, now, later(ms));
          expect(pass.updatedAt.getTime() - before).toBeGreaterThanOrEqual(1000);
        }
        expect(pass.version).toBe(1 + times.length);
      }),
    );
  });
});
