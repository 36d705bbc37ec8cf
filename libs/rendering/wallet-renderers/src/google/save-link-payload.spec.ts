import { aField, aPass, aTemplate } from '../render.fixtures.js';
import { googleClass } from './google-class.js';
import { googleObject } from './google-object.js';
import { maxSaveLinkLength, saveReferences, saveResources } from './save-link-payload.js';

const object = (index: number, vertical: 'offer' | 'loyalty' = 'offer') => ({
  vertical,
  objectId: `12345678901234567890.${String(index).padStart(38, '0')}`,
  classId: `12345678901234567890.membership_${'0'.repeat(32)}`,
});
const objects = (count: number) => Array.from({ length: count }, (_, index) => object(index));

/** Returns the length of a JWT signed with RSA-2048, whose signature is the longest that we expect. */
function jwtLength(payload: object, changes: object = {}): number {
  const claims = {
    iss: `${'a'.repeat(60)}@${'b'.repeat(20)}.iam.gserviceaccount.com`,
    aud: 'google',
    typ: 'savetowallet',
    iat: 1_800_000_000,
    origins: [],
    payload,
    ...changes,
  };
  const header = { alg: 'RS256', typ: 'JWT', kid: 'c'.repeat(40) };
  const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return [base64url(header), base64url(claims), Buffer.alloc(256).toString('base64url')].join('.').length;
}

it("saveReferences groups references by Google's kind of pass", () => {
  expect(saveReferences([object(1), object(2, 'loyalty'), object(3)])).toEqual({
    offerObjects: [
      { id: object(1).objectId, classId: object(1).classId },
      { id: object(3).objectId, classId: object(3).classId },
    ],
    loyaltyObjects: [{ id: object(2).objectId, classId: object(2).classId }],
  });
});

it("saveResources groups complete resources by Google's kind of pass and into classes and objects", () => {
  const part = { vertical: 'eventTicket', owned: [], replace: false } as const;
  const payload = saveResources([
    { ...part, part: 'class', body: { id: 'c' } },
    { ...part, part: 'object', body: { id: 'o', classId: 'c' } },
  ]);
  expect(payload).toEqual({ eventTicketClasses: [{ id: 'c' }], eventTicketObjects: [{ id: 'o', classId: 'c' }] });
});

it('saveResources can leave out the layout of a class', () => {
  const part = { vertical: 'offer', owned: [], replace: false } as const;
  const body = { id: 'c', title: 'Tea', classTemplateInfo: { cardTemplateOverride: {} } };
  const parts = [
    { ...part, part: 'class' as const, body },
    { ...part, part: 'object' as const, body: { id: 'o', classId: 'c' } },
  ];
  expect(saveResources(parts).offerClasses).toEqual([body]);
  expect(saveResources(parts, { layout: false })).toEqual({
    offerClasses: [{ id: 'c', title: 'Tea' }],
    offerObjects: [{ id: 'o', classId: 'c' }],
  });
});

it.each(['offer', 'generic', 'membership'] as const)(
  'a development link without the class layout is short enough for browsers (small pass of type %s)',
  (type) => {
    const none = { backFields: [], locations: [] };
    const template = aTemplate(type, { ...none, fields: [aField('tier', 'Tier', 'Gold')] });
    const classId = object(1).classId;
    const context = { images: {}, callbackUrl: null, language: 'en', now: new Date(0) };
    const pass = aPass(type, { ...none, fields: [] });
    const parts = [
      googleClass(template, classId, context),
      googleObject(template, pass, { classId, objectId: object(1).objectId }, context),
    ];
    const development = { iss: 'passwright@development.invalid' };
    expect(jwtLength(saveResources(parts), development)).toBeGreaterThan(maxSaveLinkLength);
    expect(jwtLength(saveResources(parts, { layout: false }), development)).toBeLessThanOrEqual(maxSaveLinkLength);
  },
);

it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
  'saveReferences keeps a link for %i passes short enough for every browser',
  (count) => {
    expect(jwtLength(saveReferences(objects(count)))).toBeLessThanOrEqual(maxSaveLinkLength);
  },
);
