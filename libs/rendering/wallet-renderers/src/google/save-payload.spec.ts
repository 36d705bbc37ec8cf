import { maxSaveLinkLength, saveReferences, saveResources } from './save-payload.js';

const object = (index: number, vertical: 'offer' | 'loyalty' = 'offer') => ({
  vertical,
  objectId: `12345678901234567890.${String(index).padStart(22, '0')}`,
  classId: `12345678901234567890.membership_${'0'.repeat(32)}`,
});
const objects = (count: number) => Array.from({ length: count }, (_, index) => object(index));

/** Returns the length of the JWT with RSA-2048, the longest expected key. */
function jwtLength(payload: object): number {
  const claims = {
    iss: `${'a'.repeat(60)}@${'b'.repeat(20)}.iam.gserviceaccount.com`,
    aud: 'google',
    typ: 'savetowallet',
    iat: 1_800_000_000,
    origins: [],
    payload,
  };
  const header = { alg: 'RS256', typ: 'JWT', kid: 'c'.repeat(40) };
  const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return [base64url(header), base64url(claims), Buffer.alloc(256).toString('base64url')].join('.').length;
}

it('saveReferences groups references by vertical', () => {
  expect(saveReferences([object(1), object(2, 'loyalty'), object(3)])).toEqual({
    offerObjects: [
      { id: object(1).objectId, classId: object(1).classId },
      { id: object(3).objectId, classId: object(3).classId },
    ],
    loyaltyObjects: [{ id: object(2).objectId, classId: object(2).classId }],
  });
});

it('saveResources groups complete resources by vertical and part', () => {
  const part = { vertical: 'eventTicket', owned: [], replace: false } as const;
  const payload = saveResources([
    { ...part, part: 'class', body: { id: 'c' } },
    { ...part, part: 'object', body: { id: 'o', classId: 'c' } },
  ]);
  expect(payload).toEqual({ eventTicketClasses: [{ id: 'c' }], eventTicketObjects: [{ id: 'o', classId: 'c' }] });
});

it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])('keeps a link for %i passes short enough for every browser', (count) => {
  expect(jwtLength(saveReferences(objects(count)))).toBeLessThanOrEqual(maxSaveLinkLength);
});
