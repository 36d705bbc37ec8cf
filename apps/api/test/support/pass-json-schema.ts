/*
 * The JSON schema of pass.json, made by hand from Apple's definitions. It allows no other keys, so that it finds
 * misspelt ones. https://developer.apple.com/documentation/walletpasses/pass
 */

type Schema = Readonly<Record<string, unknown>>;

const text = { type: 'string' };
const filled = { type: 'string', minLength: 1 };
const bool = { type: 'boolean' };
const number = { type: 'number' };
const httpsUrl = { type: 'string', pattern: '^https?://[^\\s]+$' };
const colour = {
  type: 'string',
  pattern: '^rgb\\((\\d{1,2}|1\\d\\d|2[0-4]\\d|25[0-5])(, (\\d{1,2}|1\\d\\d|2[0-4]\\d|25[0-5])){2}\\)$',
};
const dateTime = {
  type: 'string',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?(Z|[+-]\\d\\d:\\d\\d)$',
};
const listOf = (items: Schema, limits: Schema = {}): Schema => ({ type: 'array', items, ...limits });
const oneOf = (prefix: string, ...names: string[]): Schema => ({ enum: names.map((name) => `${prefix}${name}`) });

function object(properties: Readonly<Record<string, Schema>>, ...required: string[]): Schema {
  return { type: 'object', properties, required, additionalProperties: false };
}

const dateStyle = oneOf('PKDateStyle', 'None', 'Short', 'Medium', 'Long', 'Full');
const location = {
  latitude: { ...number, minimum: -90, maximum: 90 },
  longitude: { ...number, minimum: -180, maximum: 180 },
};

const fieldProperties = {
  key: filled,
  value: { type: ['string', 'number'] },
  label: text,
  attributedValue: { type: ['string', 'number'] },
  changeMessage: { type: 'string', pattern: '^([^%]|%%)*%@([^%]|%%)*$' },
  textAlignment: oneOf('PKTextAlignment', 'Left', 'Center', 'Right', 'Natural'),
  dateStyle,
  timeStyle: dateStyle,
  isRelative: bool,
  ignoresTimeZone: bool,
  currencyCode: { type: 'string', pattern: '^[A-Z]{3}$' },
  numberStyle: oneOf('PKNumberStyle', 'Decimal', 'Percent', 'Scientific', 'SpellOut'),
  semantics: { type: 'object' },
};
const field = object(fieldProperties, 'key', 'value');
const detectors = oneOf('PKDataDetectorType', 'PhoneNumber', 'Link', 'Address', 'CalendarEvent');
const backField = object({ ...fieldProperties, dataDetectorTypes: listOf(detectors) }, 'key', 'value');
const rowField = object({ ...fieldProperties, row: { enum: [0, 1] } }, 'key', 'value');

/**
 *
 * @param most the maximum numbers of primary, secondary and auxiliary fields
 */
function style(most: readonly [primary: number, secondary: number, auxiliary: number], more: Schema = {}): Schema {
  const [primary, secondary, auxiliary] = most;
  return object({
    headerFields: listOf(field, { maxItems: 3 }),
    primaryFields: listOf(field, { maxItems: primary }),
    secondaryFields: listOf(field, { maxItems: secondary }),
    auxiliaryFields: listOf(field, { maxItems: auxiliary }),
    backFields: listOf(backField),
    ...(more as Record<string, Schema>),
  });
}

const transitType = oneOf('PKTransitType', 'Air', 'Boat', 'Bus', 'Train', 'Generic');
const styles = {
  coupon: style([1, 4, 4]),
  storeCard: style([1, 4, 4]),
  generic: style([1, 4, 4]),
  eventTicket: style([1, 4, 8], {
    auxiliaryFields: listOf(rowField, { maxItems: 8 }),
    additionalInfoFields: listOf(backField),
  }),
  boardingPass: { ...style([2, 4, 5], { transitType }), required: ['transitType'] },
};

/** The poster style of iOS 27. Its title is the first primary field, without a label. */
const posterGeneric = object(
  {
    headerFields: listOf(field, { maxItems: 1 }),
    primaryFields: {
      type: 'array',
      minItems: 1,
      maxItems: 4,
      prefixItems: [
        object({ key: filled, value: filled, changeMessage: fieldProperties.changeMessage }, 'key', 'value'),
      ],
      items: field,
    },
    footerFields: listOf(field, { maxItems: 1 }),
    backFields: listOf(backField),
  },
  'primaryFields',
);

const actionTypes =
  'viewSchedule watchTrailer listenToMusic addToBalance order shop membershipBenefits bookAppointment bookCar ' +
  'bookFlight bookStay viewOffersRewards';
const action = {
  oneOf: [
    object({ identifier: filled, type: { enum: actionTypes.split(' ') }, url: httpsUrl }, 'identifier', 'type', 'url'),
    object(
      { identifier: filled, type: { const: 'call' }, url: { type: 'string', pattern: '^tel:(//)?\\+?\\d+$' } },
      'identifier',
      'type',
      'url',
    ),
    object(
      { identifier: filled, type: { const: 'place' }, placeIdentifier: filled },
      'identifier',
      'type',
      'placeIdentifier',
    ),
  ],
};

const barcode = object(
  {
    format: oneOf('PKBarcodeFormat', 'QR', 'PDF417', 'Aztec', 'Code128', 'Code39', 'Codabar', 'EAN13', 'I2of5'),
    message: filled,
    messageEncoding: filled,
    altText: text,
  },
  'format',
  'message',
  'messageEncoding',
);

const relevantDate = {
  oneOf: [
    object({ date: dateTime, relevantDate: dateTime }, 'date'),
    object({ startDate: dateTime, endDate: dateTime }, 'startDate', 'endDate'),
  ],
};

const semantics = object({
  eventName: text,
  eventType: oneOf(
    'PKEventType',
    'Generic',
    'LivePerformance',
    'Movie',
    'Sports',
    'Conference',
    'Convention',
    'Workshop',
    'SocialGathering',
  ),
  eventStartDate: dateTime,
  eventEndDate: dateTime,
  eventStartDateInfo: object(
    { date: dateTime, timeZone: text, ignoreTimeComponents: bool, unannounced: bool, undetermined: bool },
    'date',
  ),
  venueDoorsOpenDate: dateTime,
  venueName: text,
  venueLocation: object(location, 'latitude', 'longitude'),
  venueRoom: text,
  venueEntrance: text,
  venuePhoneNumber: text,
  membershipProgramName: text,
  membershipProgramNumber: text,
});

const required = [
  'formatVersion',
  'passTypeIdentifier',
  'teamIdentifier',
  'serialNumber',
  'organizationName',
  'description',
];

/** The schema of a pass.json: draft 2020-12. */
export const passJsonSchema: Schema = {
  ...object(
    {
      formatVersion: { const: 1 },
      passTypeIdentifier: { type: 'string', pattern: '^pass\\.[A-Za-z0-9.-]+$' },
      teamIdentifier: { type: 'string', pattern: '^[A-Z0-9]{10}$' },
      serialNumber: { type: 'string', pattern: '^[A-Za-z0-9_-]+$' },
      organizationName: filled,
      description: filled,
      logoText: text,
      ...styles,
      posterGeneric,
      barcodes: listOf(barcode, { minItems: 1 }),
      backgroundColor: colour,
      foregroundColor: colour,
      labelColor: colour,
      suppressStripShine: bool,
      sharingProhibited: bool,
      expirationDate: dateTime,
      voided: bool,
      relevantDate: dateTime,
      relevantDates: listOf(relevantDate, { minItems: 1 }),
      locations: listOf(object({ ...location, altitude: number, relevantText: text }, 'latitude', 'longitude'), {
        maxItems: 10,
      }),
      maxDistance: number,
      groupingIdentifier: filled,
      featuredActions: listOf(action, { minItems: 1, maxItems: 2 }),
      webServiceURL: httpsUrl,
      authenticationToken: { type: 'string', minLength: 16 },
      associatedStoreIdentifiers: listOf(number),
      appLaunchURL: text,
      userInfo: { type: 'object' },
      semantics,
    },
    ...required,
  ),
  // A pass has exactly one classic style. Only tickets and boarding passes may have a group.
  oneOf: Object.keys(styles).map((name) => ({ required: [name] })),
  dependentRequired: { webServiceURL: ['authenticationToken'], appLaunchURL: ['associatedStoreIdentifiers'] },
  if: { required: ['groupingIdentifier'] },
  then: { anyOf: [{ required: ['eventTicket'] }, { required: ['boardingPass'] }] },
};
