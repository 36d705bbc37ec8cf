import { googleResponse, googleEnumAlias, googleProperties } from './responses.js';

it.each([
  ['UNDER_REVIEW', 'underReview'],
  ['ACTIVE', 'active'],
  ['QR_CODE', 'qrCode'],
  ['CODE_128', 'code128'],
  ['STATUS_UNSPECIFIED', 'statusUnspecified'],
])('googleEnumAlias turns %s into %s', (value, alias) => expect(googleEnumAlias(value)).toBe(alias));

it('googleProperties includes deprecated properties', () => {
  const known = googleProperties('loyalty', 'class');
  expect([...known]).toEqual(expect.arrayContaining(['programLogo', 'locations', 'version', 'kind']));
  expect(known.has('accountName')).toBe(false);
});

it('googleResponse writes enum values in the deprecated spelling, adds kinds and omits unknown properties', () => {
  const reply = googleResponse('generic', 'object', {
    id: '3388000000012345678.a',
    state: 'ACTIVE',
    header: { defaultValue: { language: 'en', value: 'ACTIVE' } },
    barcode: { type: 'QR_CODE', value: 'QR_CODE' },
    passConstraints: { nfcConstraint: ['BLOCK_PAYMENT'] },
    unknown: 1,
  });
  expect(reply).toEqual({
    id: '3388000000012345678.a',
    state: 'active',
    header: {
      kind: 'walletobjects#localizedString',
      defaultValue: { kind: 'walletobjects#translatedString', language: 'en', value: 'ACTIVE' },
    },
    barcode: { kind: 'walletobjects#barcode', type: 'qrCode', value: 'QR_CODE' },
    passConstraints: { nfcConstraint: ['blockPayment'] },
  });
});
