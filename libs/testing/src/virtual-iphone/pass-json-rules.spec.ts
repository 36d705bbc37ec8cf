import fc from 'fast-check';
import { changeMessages } from './lock-screen.js';
import { passJsonProblems } from './pass-json-rules.js';
import { aPassJson } from './pass-package.fixtures.js';

const problems = (changes: Record<string, unknown>, allowHttp = true) =>
  passJsonProblems(JSON.parse(JSON.stringify(aPassJson(changes))), { allowHttp });
const generic = (...fields: unknown[]) => ({ generic: { primaryFields: fields } });
const barcode = (change: object) => ({
  barcodes: [{ format: 'PKBarcodeFormatQR', message: 'x', messageEncoding: 'iso-8859-1', ...change }],
});
const token = '0123456789abcdef';
const anAction = (type = 'shop') => ({ identifier: type, type, url: 'https://a.example/' });

describe('pass.json is accepted', () => {
  it.each<[string, Record<string, unknown>]>([
    ['with the required properties alone', {}],
    ['without blanks in colours', { backgroundColor: 'rgb(0,255,10)' }],
    [
      'with dates to the minute and an offset',
      { relevantDate: '2026-05-01T18:00+02:00', expirationDate: '2026-05-01T18:00:00.000Z' },
    ],
    [
      'with ten locations',
      { locations: Array.from({ length: 10 }, () => ({ latitude: -90, longitude: 180, altitude: 3 })) },
    ],
    ['with a date field', generic({ key: 'd', value: '2026-05-01T18:00:00Z', dateStyle: 'PKDateStyleShort' })],
    ['with an amount', generic({ key: 'a', value: 12.5, currencyCode: 'EUR' })],
    ['with a barcode beyond Latin-1 in UTF-8', barcode({ message: 'ключ 🔑', messageEncoding: 'UTF-8' })],
    ['with a web service', { webServiceURL: 'https://example.com/wallet', authenticationToken: token }],
    [
      'with both names of a relevant date',
      { relevantDates: [{ date: '2026-05-01T18:00:00Z', relevantDate: '2026-05-01T18:00:00Z' }] },
    ],
    [
      'with an interval of 24 hours',
      { relevantDates: [{ startDate: '2026-05-01T18:00:00Z', endDate: '2026-05-02T20:00:00+02:00' }] },
    ],
    ['with beacons', { beacons: [{ proximityUUID: '7C1DBD54-0E4B-4F5A-9E2F-64B1B9A6F6A4', major: 65535 }] }],
    ['as a boarding pass', { generic: undefined, boardingPass: { transitType: 'PKTransitTypeAir' } }],
    ['with properties unknown to us', { somethingNew: { a: 1 } }],
  ])('passJsonProblems accepts a pass.json %s', (_, changes) => {
    expect(problems(changes)).toEqual([]);
  });
});

describe('pass.json is rejected', () => {
  it.each<[string, Record<string, unknown>, RegExp]>([
    ['of another format version', { formatVersion: 2 }, /^formatVersion/],
    ['without a description', { description: undefined }, /^description is not a text/],
    ['with an empty serial number', { serialNumber: '' }, /^serialNumber/],
    ['without a style', { generic: undefined }, /none of the styles/],
    ['with two styles', { coupon: {} }, /2 styles \(coupon, generic\)/],
    ['with a style that is a list', { generic: [] }, /^generic is not an object/],
    ['with a group that is an object', { generic: { backFields: {} } }, /^generic\.backFields is not a list/],
    ['with a hexadecimal colour', { backgroundColor: '#ffffff' }, /^backgroundColor is not a colour/],
    ['with a colour beyond 255', { labelColor: 'rgb(256, 0, 0)' }, /^labelColor/],
    ['with a date without time', { expirationDate: '2026-05-01' }, /^expirationDate is not a date-time with zone/],
    ['with a date without zone', { relevantDate: '2026-05-01T18:00:00' }, /^relevantDate/],
    ['with an impossible date', { relevantDate: '2026-13-41T18:00:00Z' }, /^relevantDate/],
    ['with a list of texts that are not dates', { relevantDates: [{ date: 'tomorrow' }] }, /^relevantDates\[0\]\.date/],
    [
      'with an interval of more than 24 hours',
      { relevantDates: [{ startDate: '2026-05-01T18:00:00Z', endDate: '2026-05-02T18:00:00.001Z' }] },
      /^relevantDates\[0\]\.endDate is not within 24 hours/,
    ],
    [
      'with an interval without an end',
      { relevantDates: [{ startDate: '2026-05-01T18:00:00Z' }] },
      /^relevantDates\[0\]\.endDate is not within 24 hours/,
    ],
    ['with voided as a text', { voided: 'true' }, /^voided is not true or false/],
    ['with maxDistance as a text', { maxDistance: '100' }, /^maxDistance is not a number/],
    [
      'with eleven locations',
      { locations: Array.from({ length: 11 }, () => ({ latitude: 0, longitude: 0 })) },
      /11 entries; 10/,
    ],
    ['with a latitude as a text', { locations: [{ latitude: '1', longitude: 2 }] }, /^locations\[0\]\.latitude/],
    ['with a longitude out of range', { locations: [{ latitude: 1, longitude: 181 }] }, /^locations\[0\]\.longitude/],
    ['with a location that is a text', { locations: ['Berlin'] }, /^locations\[0\] is not an object/],
    ['with a beacon without UUID', { beacons: [{ major: 1 }] }, /^beacons\[0\]\.proximityUUID/],
    ['with barcodes as an object', { barcodes: barcode({}).barcodes[0] }, /^barcodes is not a list/],
    ['with an unknown barcode', barcode({ format: 'QR' }), /^barcodes\[0\]\.format is none of/],
    ['with a message as a number', barcode({ message: 42 }), /^barcodes\[0\]\.message is not a text/],
    ['with an emoji in Latin-1', barcode({ message: '🎟' }), /^barcodes\[0\]\.message cannot be written in iso-8859-1/],
    [
      'with half an emoji in UTF-8',
      barcode({ message: '\ud83c', messageEncoding: 'utf-8' }),
      /cannot be written in utf-8/,
    ],
    [
      'with an unknown encoding',
      barcode({ messageEncoding: 'utf-9' }),
      /^barcodes\[0\]\.messageEncoding names no encoding/,
    ],
    [
      'with more data than a QR code can hold',
      barcode({ message: 'x'.repeat(2954) }),
      /does not fit a PKBarcodeFormatQR/,
    ],
    ['with a wrong single barcode', { barcode: 'x' }, /^barcode is not an object/],
    ['with a launch URL alone', { appLaunchURL: 'app:' }, /needs associatedStoreIdentifiers/],
    ['with store identifiers as texts', { associatedStoreIdentifiers: ['1'] }, /^associatedStoreIdentifiers/],
    [
      'with a short token',
      { webServiceURL: 'https://example.com', authenticationToken: token.slice(1) },
      /at least 16 characters/,
    ],
    ['without a token', { webServiceURL: 'https://example.com' }, /needs an authenticationToken/],
    [
      'with a web service that is no URL',
      { webServiceURL: 'example.com', authenticationToken: token },
      /^webServiceURL is not an https/,
    ],
    ['without a transit type', { generic: undefined, boardingPass: {} }, /^boardingPass\.transitType/],
  ])('passJsonProblems rejects a pass.json %s', (_, changes, problem) => {
    expect(problems(changes)).toEqual([expect.stringMatching(problem)]);
  });

  it('passJsonProblems rejects a pass.json with an http web service, unless http is allowed', () => {
    const changes = { webServiceURL: 'http://localhost:3000', authenticationToken: token };
    expect(problems(changes, true)).toEqual([]);
    expect(problems(changes, false)).toEqual(['webServiceURL is not an https URL']);
  });

  it.each<[string, unknown, RegExp]>([
    ['without a key', { value: 'x' }, /primaryFields\[0\]\.key is not a text/],
    ['without a value', { key: 'a' }, /value is neither a text nor a number/],
    ['with true as its value', { key: 'a', value: true }, /value is neither/],
    ['with a label that is a number', { key: 'a', value: 'x', label: 1 }, /label is not a text/],
    ['with an amount as a text', { key: 'a', value: '12', currencyCode: 'EUR' }, /value is not a number/],
    [
      'with two number formats',
      { key: 'a', value: 1, currencyCode: 'EUR', numberStyle: 'PKNumberStyleDecimal' },
      /excludes/,
    ],
    [
      'with a date that lacks a time',
      { key: 'a', value: '2026-05-01', dateStyle: 'PKDateStyleShort' },
      /value is not a date-time/,
    ],
    [
      'with an unknown date style',
      { key: 'a', value: '2026-05-01T00:00Z', dateStyle: 'short' },
      /dateStyle is none of/,
    ],
    ['with an unknown alignment', { key: 'a', value: 'x', textAlignment: 'left' }, /textAlignment is none of/],
    [
      'with ignoresTimeZone as a text',
      { key: 'a', value: '2026-05-01T00:00Z', dateStyle: 'PKDateStyleShort', ignoresTimeZone: 'true' },
      /ignoresTimeZone is none of true, false/,
    ],
    ['in a third row', { key: 'a', value: 'x', row: 2 }, /row is none of 0, 1/],
    ['that is a text', 'x', /primaryFields\[0\] is not an object/],
    ...['', 'changed', '%@ to %@', '%d', '%@ 100%', '%%@', '%@ %s'].map((changeMessage): [string, unknown, RegExp] => [
      `with the change message "${changeMessage}"`,
      { key: 'a', value: 'x', changeMessage },
      /changeMessage does not have exactly one %@/,
    ]),
  ])('passJsonProblems rejects a pass.json with a field %s', (_, field, problem) => {
    expect(problems(generic(field))).toEqual([expect.stringMatching(problem)]);
  });

  it('passJsonProblems rejects a pass.json in which two fields have the same key, even on different sides', () => {
    const field = { key: 'a', value: 'x' };
    const twice = 'generic.primaryFields[1].key "a" is that of generic.primaryFields[0] too';
    expect(problems(generic(field, field))).toEqual([twice]);
    expect(problems({ generic: { headerFields: [field], backFields: [field] } })).toEqual([
      'generic.backFields[0].key "a" is that of generic.headerFields[0] too',
    ]);
  });

  it.each<[string, unknown, string[]]>([
    ['a web page and a telephone number', [anAction(), { ...anAction('call'), url: 'tel://+4722334455' }], []],
    ['a place', [{ identifier: 'a', type: 'place', placeIdentifier: 'I123' }], []],
    ['an object in place of the list', {}, ['featuredActions is not a list']],
    ['a text in place of an action', ['shop'], ['featuredActions[0] is not an object']],
    [
      'three entries',
      [anAction('shop'), anAction('order'), anAction('bookCar')],
      ['featuredActions has 3 entries; 2 are read'],
    ],
    ['a repeated identifier', [anAction(), anAction()], ['featuredActions[1].identifier is that of another action']],
    ['no identifier', [{ ...anAction(), identifier: '' }], ['featuredActions[0].identifier is not a text']],
    [
      'a plain web address',
      [{ ...anAction(), url: 'http://a.example/' }],
      ['featuredActions[0].url is not an https URL'],
    ],
    ['a call of a web page', [anAction('call')], ['featuredActions[0].url is not a telephone number']],
    [
      'a place that has an address but no identifier',
      [anAction('place')],
      ['featuredActions[0].placeIdentifier is not a text'],
    ],
  ])('passJsonProblems reports exactly the errors of featured actions with %s', (_, featuredActions, found) => {
    expect(problems({ featuredActions })).toEqual(found);
  });

  it('passJsonProblems rejects a featured action of an unknown type', () => {
    expect(problems({ featuredActions: [anAction('dance')] })).toEqual([
      expect.stringMatching(/^featuredActions\[0\]\.type is none of viewSchedule /),
    ]);
  });

  it('passJsonProblems never crashes on any value in pass.json', () => {
    const keys = [
      ...Object.keys(aPassJson()),
      'locations',
      'beacons',
      'relevantDates',
      'barcode',
      'nfc',
      'boardingPass',
      'webServiceURL',
      'featuredActions',
    ];
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...keys), fc.jsonValue()), (changes) => {
        expect(Array.isArray(problems(changes))).toBe(true);
      }),
    );
  });
});

describe('lock-screen lines', () => {
  const field = { key: 'gate', value: 'A1', changeMessage: 'Gate is now %@, 100%% sure' };
  const lines = (before: object, after: object) =>
    changeMessages(aPassJson(generic(before)), aPassJson(generic(after)), 'ios27');

  it('a lock-screen line contains the new value unchanged', () => {
    expect(lines(field, { ...field, value: 'B%@$&2' })).toEqual(['Gate is now B%@$&2, 100% sure']);
    expect(lines(field, { ...field, value: 7 })).toEqual(['Gate is now 7, 100% sure']);
  });

  it('lock-screen lines omit fields that are unchanged, new, or without a change message', () => {
    expect(lines(field, { ...field, label: 'Exit' })).toEqual([]);
    expect(lines(field, { ...field, key: 'exit', value: 'B2' })).toEqual([]);
    expect(lines(field, { key: 'gate', value: 'B2' })).toEqual([]);
  });

  it('lock-screen lines include a changed field that has moved to another group', () => {
    const after = aPassJson({ generic: { backFields: [{ ...field, value: 'C3' }] } });
    expect(changeMessages(aPassJson(generic(field)), after, 'ios27')).toEqual(['Gate is now C3, 100% sure']);
  });
});
