import { googleProblems, isGoogleId } from './problems.js';
import type { GooglePartName, GoogleVertical } from './names.js';

const classId = '3388000000012345678.offer_1';
const objectId = '3388000000012345678.pass-1.a';
const image = { sourceUri: { uri: 'https://passes.example.com/a.png' } };
const localized = (value: string) => ({ defaultValue: { language: 'en-GB', value } });

const smallest: [GoogleVertical, GooglePartName, Record<string, unknown>][] = [
  [
    'offer',
    'class',
    {
      id: classId,
      issuerName: 'Harbour Hall',
      provider: 'Harbour Hall',
      redemptionChannel: 'BOTH',
      reviewStatus: 'UNDER_REVIEW',
      title: 'Two for one',
    },
  ],
  [
    'eventTicket',
    'class',
    { id: classId, issuerName: 'Harbour Hall', eventName: localized('Concert'), reviewStatus: 'UNDER_REVIEW' },
  ],
  ['generic', 'class', { id: classId }],
  [
    'loyalty',
    'class',
    {
      id: classId,
      issuerName: 'Harbour Hall',
      programName: 'Friends',
      programLogo: image,
      reviewStatus: 'UNDER_REVIEW',
    },
  ],
  ['offer', 'object', { id: objectId, classId, state: 'ACTIVE' }],
  ['eventTicket', 'object', { id: objectId, classId, state: 'ACTIVE' }],
  ['generic', 'object', { id: objectId, classId, cardTitle: localized('Hall'), header: localized('Ada') }],
  ['loyalty', 'object', { id: objectId, classId, state: 'ACTIVE' }],
];

describe.each(smallest)('the smallest %s %s', (vertical, part, body) => {
  it('googleProblems accepts the smallest resource', () => expect(googleProblems(vertical, part, body)).toEqual([]));

  it.each(Object.keys(body))('googleProblems rejects the smallest resource without %s', (name) => {
    const { [name]: _, ...rest } = body;
    expect(googleProblems(vertical, part, rest)).toEqual([`$.${name} is missing; Google requires it.`]);
  });
});

const pass = { id: objectId, classId, state: 'ACTIVE' };
const place = { latitude: 90, longitude: -180 };
const times = <T>(count: number, item: T) => Array.from({ length: count }, () => item);
const interval = (start: string, end: string) => ({ start: { date: start }, end: { date: end } });
const rows = (count: number) => ({
  cardTemplateOverride: { cardRowTemplateInfos: times(count, { oneItem: { item: {} } }) },
});

describe('an object', () => {
  it('googleProblems accepts an object that reaches every limit', () => {
    const body = {
      ...pass,
      barcode: { type: 'QR_CODE', value: 'é', alternateText: 'é', renderEncoding: 'UTF_8' },
      validTimeInterval: interval('2026-01-01T00:00:00.123Z', '2026-02-01T00:00:00+01:00'),
      merchantLocations: times(10, place),
      messages: times(10, { header: 'a', body: 'b', messageType: 'TEXT_AND_NOTIFY' }),
      textModulesData: [{ id: 'f_0-A', header: 'Seat', body: '7' }],
      linksModuleData: { uris: [{ uri: 'tel:+4940123', description: 'Call' }, { uri: 'https://a.example/?q' }] },
    };
    expect(googleProblems('offer', 'object', body)).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['an unknown property', { colour: '#fff' }, '$.colour is not a property that Google accepts there; leave it out.'],
    [
      'a deprecated property',
      { locations: [] },
      '$.locations is not a property that Google accepts there; leave it out.',
    ],
    [
      'the colour of its class',
      { hexBackgroundColor: '#fff' },
      '$.hexBackgroundColor is not a property that Google accepts there; leave it out.',
    ],
    [
      'a state in its deprecated spelling',
      { state: 'active' },
      '$.state must be one of ACTIVE, COMPLETED, EXPIRED, INACTIVE.',
    ],
    ['an id without issuer', { id: 'pass-1' }, expect.stringMatching(/^\$\.id must match pattern/)],
    ['11 locations', { merchantLocations: times(11, place) }, '$.merchantLocations must NOT have more than 10 items.'],
    [
      'a location beyond the pole',
      { merchantLocations: [{ latitude: 90.5, longitude: 0 }] },
      '$.merchantLocations[0].latitude must be <= 90.',
    ],
    [
      'an empty text',
      { barcode: { type: 'QR_CODE', value: '' } },
      '$.barcode.value is empty; leave it out, or give it a text.',
    ],
    [
      'a text barcode with a second text',
      { barcode: { type: 'TEXT_ONLY', value: 'a', alternateText: 'a' } },
      '$.barcode.alternateText does not go with this type of barcode; leave it out.',
    ],
    [
      'UTF-8 in a barcode that cannot hold it',
      { barcode: { type: 'PDF_417', value: 'a', renderEncoding: 'UTF_8' } },
      '$.barcode.renderEncoding does not go with this type of barcode; leave it out.',
    ],
    [
      'an unspecified barcode',
      { barcode: { type: 'BARCODE_TYPE_UNSPECIFIED', value: 'a' } },
      expect.stringMatching(/^\$\.barcode\.type must be one of AZTEC/),
    ],
    [
      'an interval with an offset at one end only',
      { validTimeInterval: interval('2026-01-01T00:00:00Z', '2026-02-01T00:00:00') },
      '$.validTimeInterval.start and its end must both have an offset, or neither.',
    ],
    [
      'a date without time',
      { validTimeInterval: { end: { date: '2026-01-01' } } },
      expect.stringMatching(/^\$\.validTimeInterval\.end\.date must match pattern/),
    ],
    [
      'an image with two sources',
      { heroImage: { ...image, privateImageId: '1' } },
      '$.heroImage must have exactly one of sourceUri, privateImageId.',
    ],
    [
      'an image without scheme',
      { heroImage: { sourceUri: { uri: '//passes.example.com/a.png' } } },
      expect.stringMatching(/^\$\.heroImage\.sourceUri\.uri must match pattern/),
    ],
    [
      'a text module whose id has a dot',
      { textModulesData: [{ id: 'a.b', body: 'c' }] },
      expect.stringMatching(/^\$\.textModulesData\[0\]\.id must match pattern/),
    ],
    [
      'a link that is a script',
      { linksModuleData: { uris: [{ uri: 'javascript:alert(1)' }] } },
      expect.stringMatching(/^\$\.linksModuleData\.uris\[0\]\.uri must match pattern/),
    ],
  ])('googleProblems rejects an object with %s', (_, changes, problem) => {
    expect(googleProblems('offer', 'object', { ...pass, ...changes })).toEqual([problem]);
  });

  it.each([null, undefined, 'text', []])('googleProblems rejects %p as an object', (body) =>
    expect(googleProblems('offer', 'object', body)).toEqual(['$ must be object.']),
  );
});

describe('a class', () => {
  const event = smallest[1]![2];

  it.each<[string, object, string]>([
    [
      'a review status that only Google sets',
      { reviewStatus: 'APPROVED' },
      '$.reviewStatus must be one of DRAFT, UNDER_REVIEW.',
    ],
    ['a colour by name', { hexBackgroundColor: 'red' }, expect.stringMatching(/^\$\.hexBackgroundColor must match/)],
    [
      'a venue without name',
      { venue: { address: localized('Quay 1') } },
      '$.venue.name is missing; Google requires it.',
    ],
    [
      'a name without a language',
      { eventName: { defaultValue: { value: 'Concert' } } },
      '$.eventName.defaultValue.language is missing; Google requires it.',
    ],
    [
      'two labels for one thing',
      { seatLabel: 'SEAT', customSeatLabel: localized('Chair') },
      expect.stringMatching(/^\$ may have only one of each: .*seatLabel and customSeatLabel/),
    ],
    [
      '4 rows',
      { classTemplateInfo: rows(4) },
      '$.classTemplateInfo.cardTemplateOverride.cardRowTemplateInfos must NOT have more than 3 items.',
    ],
    ['a long event id', { eventId: 'a'.repeat(65) }, '$.eventId must NOT have more than 64 characters.'],
    [
      'a callback without TLS',
      { callbackOptions: { url: 'http://a.example/' } },
      expect.stringMatching(/^\$\.callbackOptions\.url/),
    ],
  ])('googleProblems rejects a class with %s', (_, changes, problem) => {
    expect(googleProblems('eventTicket', 'class', { ...event, ...changes })).toEqual([problem]);
  });
});

it.each(['', 'a.b', '123.b', '3388000000012345678', '3388000000012345678.', '3388000000012345678.a b'])(
  'isGoogleId rejects %p as a class id',
  (text) => expect(isGoogleId(text)).toBe(false),
);
it('isGoogleId accepts an issuer id, a dot and a suffix', () => expect(isGoogleId(objectId)).toBe(true));
