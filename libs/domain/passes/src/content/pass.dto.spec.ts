import { bodyValidation, ValidationFailed } from '@passwright/core';
import { passPatchExamples, passRequestExamples } from '../passes/pass-examples.js';
import { PassMetadataRequest, PassPatch, PassRequest, toPassResponse } from './pass.dto.js';
import { aPass, aTemplate, now } from './pass.fixtures.js';

const validated = (metatype: new () => object, body: unknown) =>
  bodyValidation.transform(body, { type: 'body', metatype }) as Promise<Record<string, unknown>>;

describe('pass request bodies', () => {
  it('the request bodies accept their own examples', async () => {
    for (const { value } of Object.values(passRequestExamples)) {
      expect(await validated(PassRequest, value)).toMatchObject(value);
    }
    for (const { value } of Object.values(passPatchExamples)) {
      expect(await validated(PassPatch, value)).toMatchObject(value);
    }
  });

  it('the validation of request bodies does not change free-form JSON, whatever its property names', async () => {
    const metadata = { toString: 1, valueOf: { hasOwnProperty: 2 }, then: [{ constructor: null }] };
    for (const body of [PassRequest, PassPatch, PassMetadataRequest]) {
      expect((await validated(body, { metadata })).metadata).toEqual(metadata);
    }
  });

  it('a merge patch may contain more metadata than a pass may have, but other request bodies may not', async () => {
    const metadata = { a: 'x'.repeat(5000) };
    await expect(validated(PassPatch, { metadata })).resolves.toBeDefined();
    for (const body of [PassRequest, PassMetadataRequest]) {
      await expect(validated(body, { metadata })).rejects.toThrow(ValidationFailed);
    }
  });

  it('the request bodies accept null for optional properties', async () => {
    const names = [
      'id',
      'code',
      'validFrom',
      'expiry',
      'primaryValue',
      'thumbnail',
      'fields',
      'backFields',
      'locations',
      'actions',
      'group',
      'linkedPasses',
    ];
    const body = Object.fromEntries([...names, 'metadata', 'voided'].map((name) => [name, null]));
    await expect(validated(PassRequest, body)).resolves.toMatchObject(body);
    await expect(validated(PassMetadataRequest, { metadata: null })).rejects.toThrow(ValidationFailed);
  });
});

describe('toPassResponse', () => {
  it('a pass response contains only the public properties', () => {
    const pass = aPass(aTemplate(), {
      validFrom: new Date(0),
      expiresAt: new Date(1),
      primaryValue: 'Ada',
      redeemedAt: new Date(2),
    });
    expect(Object.keys(toPassResponse({ pass, archivedAt: null, templateUpdatedAt: now })).sort()).toEqual(
      ['accountId', 'backFields', 'code', 'createdAt', 'expiry', 'fields', 'id', 'locations', 'metadata']
        .concat(['primaryValue', 'redeemedAt', 'templateId', 'updatedAt', 'validFrom', 'voided'])
        .sort(),
    );
  });

  it('a pass response omits the values in other languages that the service has added to a field', () => {
    const field = { key: 'membership', label: 'Membership', value: 'Until 31 December 2026' };
    const pass = aPass(undefined, { fields: [{ ...field, valueIn: { de: 'Bis 31. Dezember 2026' } }] });
    expect(toPassResponse({ pass, archivedAt: null, templateUpdatedAt: now }).fields).toEqual([field]);
  });

  it('a pass response has voided: true if the pass is void or its template is archived', () => {
    const voided = (voidedAt: Date | null, archivedAt: Date | null) =>
      toPassResponse({ pass: aPass(undefined, { voidedAt }), archivedAt, templateUpdatedAt: now }).voided;
    expect([voided(null, null), voided(new Date(), null), voided(null, new Date())]).toEqual([false, true, true]);
  });
});
