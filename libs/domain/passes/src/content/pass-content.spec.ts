import type { Action } from '@passwright/templates';
import { mergedFields, mergedLocations } from '@passwright/wallet-renderers';
import fc from 'fast-check';
import { applyMergePatch, type JsonRecord } from './merge-patch.js';
import { contentProblems, type PassContent, patchedContent, requestedContent } from './pass-content.js';
import type { PassPatch, PassRequest } from './pass.dto.js';
import type { Pass } from './pass.entity.js';
import { aContent, aPass, aTemplate } from './pass.fixtures.js';

const text = fc.string({ minLength: 1, maxLength: 5 });
const time = fc
  .date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString());
const field = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), label: text, value: text });
const location = fc.record({ address: text, latitude: fc.constant(1), longitude: fc.constant(2) });
const action = fc.constantFrom<Action>(
  { type: 'shop', url: 'https://harbour.example/shop' },
  { type: 'call', url: 'tel:+4722334455' },
);
const properties = {
  code: text,
  validFrom: time,
  expiry: time,
  primaryValue: text,
  thumbnail: fc.constantFrom('https://x/1.png', 'https://x/2.png'),
  fields: fc.array(field, { maxLength: 4 }),
  backFields: fc.array(field, { maxLength: 4 }),
  locations: fc.array(location, { maxLength: 10 }),
  language: fc.constantFrom('de', 'pt-BR'),
  translations: fc.dictionary(
    fc.constantFrom('de', 'pt-BR'),
    fc.dictionary(fc.constantFrom('primaryValue', 'fields.a.label'), text),
  ),
  actions: fc.array(action, { maxLength: 2 }),
  group: fc.record({ id: fc.constantFrom('a', 'b'), order: fc.nat(3) }, { requiredKeys: ['id'] }),
  linkedPasses: fc.array(fc.record({ templateId: fc.constantFrom('a', 'b'), passId: fc.constantFrom('x', 'y') })),
  metadata: fc.dictionary(fc.constantFrom('a', 'b'), fc.oneof(text, fc.dictionary(fc.constant('c'), text))),
  voided: fc.boolean(),
};
const anyRequest: fc.Arbitrary<PassRequest> = fc.record(properties, { requiredKeys: [] });
const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const anyPatch = fc.record(
  Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, nullable<unknown>(value)])),
  { requiredKeys: [] },
) as fc.Arbitrary<PassPatch>;

function passOf(content: PassContent): Pass {
  const { thumbnailUrl, voided, ...columns } = content;
  const thumbnail = thumbnailUrl === null ? null : { url: thumbnailUrl, source: '', recipe: 1, files: [] };
  return aPass(undefined, { ...(columns as Partial<Pass>), thumbnail, voidedAt: voided ? new Date() : null });
}

describe('patchedContent', () => {
  it('patchedContent returns the same content as a JSON merge patch (RFC 7396) of the request that created the pass', () => {
    fc.assert(
      fc.property(anyRequest, anyPatch, (request, patch) => {
        const pass = passOf(requestedContent(request));
        const patched = applyMergePatch({ ...request }, patch as JsonRecord) as PassRequest;
        expect(patchedContent(pass, patch)).toEqual(requestedContent(patched));
      }),
    );
  });
});

describe('requestedContent', () => {
  it('requestedContent does not store empty properties or class instances', () => {
    const place = Object.assign(Object.create({ inherited: 1 }) as object, {
      address: 'Quay 1',
      latitude: 1,
      longitude: 2,
      name: null,
    });
    const { locations } = requestedContent({ locations: [place as never] });
    expect(locations).toStrictEqual([{ address: 'Quay 1', latitude: 1, longitude: 2 }]);
  });
});

describe('contentProblems', () => {
  it('a pass without problems keeps all its content in a wallet, and has at most four front fields', () => {
    fc.assert(
      fc.property(anyRequest, anyRequest, (templateRequest, request) => {
        const { fields, backFields, locations } = requestedContent(templateRequest);
        const template = aTemplate('generic', { fields, backFields, locations });
        const content = requestedContent({ ...request, primaryValue: '1' });
        fc.pre(contentProblems(template, aContent({ primaryValue: '1' })).length === 0);
        if (contentProblems(template, content).length > 0) return;
        const merged = mergedFields(template, content);
        expect(merged.fields.length).toBeLessThanOrEqual(4);
        expect(merged.fields).toEqual(expect.arrayContaining(content.fields));
        expect(merged.backFields).toEqual(expect.arrayContaining(content.backFields));
        expect(mergedLocations(template, content)).toHaveLength(template.locations.length + content.locations.length);
      }),
    );
  });

  it.each([
    [
      'offer',
      { primaryValue: 'x' },
      'primaryValue is for generic and membership templates, and this one is of type offer; leave it out, or use a field',
    ],
    [
      'event',
      { thumbnailUrl: 'x' },
      'thumbnail is for generic templates only, and this one is of type event; leave it out',
    ],
    ['generic', {}, 'primaryValue is required: it is the value of "Member"; give a text of at least one character'],
    [
      'offer',
      { metadata: { a: 'x'.repeat(4993) } },
      'metadata must be at most 5000 characters when serialised, and would be 5001',
    ],
  ] as const)('contentProblems names the problem and the solution for a pass of type %s', (type, changes, problem) => {
    expect(contentProblems(aTemplate(type), aContent(changes))).toEqual([problem]);
  });
});
