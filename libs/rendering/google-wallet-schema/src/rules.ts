/**
 * Rules for one schema that the discovery document states only in prose, because it has no `required`, patterns or
 * counts.
 */
export interface HandRules {
  readonly required?: readonly string[];
  /** Exactly one of these properties must be present. */
  readonly exactlyOne?: readonly string[];
  /** Groups of properties. At most one property of each group may be present. */
  readonly atMostOne?: readonly (readonly string[])[];
  /** Additional JSON Schema for individual properties. */
  readonly properties?: Readonly<Record<string, object>>;
  /** Additional JSON Schema for the whole object. */
  readonly also?: object;
}

/** A pattern for `<issuer id>.<suffix>`. The length limit is our own; Google documents no limit. */
export const googleIdPattern = '^\\d{10,20}\\.[A-Za-z0-9._-]{1,128}$';

const id = { pattern: googleIdPattern };
const text = { minLength: 1 };
const colour = { pattern: '^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$' };
const moduleId = { pattern: '^[A-Za-z0-9_-]+$' };
const language = { pattern: '^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$' };
/** An ISO 8601 time with up to nine decimals of a second. The offset is optional and may have seconds. */
const dateTime = {
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?(?:Z|[+-]\\d\\d:\\d\\d(?::\\d\\d)?)?$',
};
const count = (maxItems: number) => ({ maxItems });
const degrees = (limit: number) => ({ minimum: -limit, maximum: limit });
/** The review status that an issuer may set; only Google sets APPROVED and REJECTED. */
const reviewStatus = { enum: ['DRAFT', 'UNDER_REVIEW'] };

/** The rules that apply to all classes and objects. */
const anyResource = {
  id,
  hexBackgroundColor: colour,
  merchantLocations: count(10),
  messages: count(10),
  valueAddedModuleData: count(15),
};
const anyObject = {
  ...anyResource,
  classId: id,
  linkedObjectIds: { maxItems: 50, items: id },
  linkedOfferIds: { items: id },
  state: { enum: ['ACTIVE', 'COMPLETED', 'EXPIRED', 'INACTIVE'] },
};

const resources: Readonly<Record<string, HandRules>> = {
  OfferClass: {
    required: ['id', 'issuerName', 'provider', 'redemptionChannel', 'reviewStatus', 'title'],
    properties: { ...anyResource, reviewStatus },
  },
  EventTicketClass: {
    required: ['id', 'issuerName', 'eventName', 'reviewStatus'],
    atMostOne: ['confirmationCode', 'gate', 'row', 'seat', 'section'].map((name) => [
      `${name}Label`,
      `custom${name.charAt(0).toUpperCase()}${name.slice(1)}Label`,
    ]),
    properties: { ...anyResource, reviewStatus, eventId: { maxLength: 64 } },
  },
  GenericClass: { required: ['id'], properties: anyResource },
  LoyaltyClass: {
    required: ['id', 'issuerName', 'programName', 'programLogo', 'reviewStatus'],
    properties: { ...anyResource, reviewStatus },
  },
  OfferObject: { required: ['id', 'classId', 'state'], properties: anyObject },
  EventTicketObject: { required: ['id', 'classId', 'state'], properties: anyObject },
  GenericObject: { required: ['id', 'classId', 'cardTitle', 'header'], properties: anyObject },
  LoyaltyObject: { required: ['id', 'classId', 'state'], properties: anyObject },
};

const barcodeTypes =
  'AZTEC CODE_39 CODE_128 CODABAR DATA_MATRIX EAN_8 EAN_13 ITF_14 PDF_417 QR_CODE UPC_A TEXT_ONLY'.split(' ');
const whenType = (type: string) => ({ properties: { type: { const: type } } });

const codes: Readonly<Record<string, HandRules>> = {
  Barcode: {
    required: ['type', 'value'],
    properties: { type: { enum: barcodeTypes } },
    also: {
      allOf: [
        { if: whenType('TEXT_ONLY'), then: { properties: { alternateText: false } } },
        { if: { not: whenType('QR_CODE') }, then: { properties: { renderEncoding: false } } },
        { if: whenType('UPC_A'), then: { properties: { value: { pattern: '^\\d{11,12}$' } } } },
      ],
    },
  },
  RotatingBarcode: { required: ['type'], properties: { type: { enum: ['QR_CODE', 'PDF_417'] } } },
};

const layout: Readonly<Record<string, HandRules>> = {
  CardTemplateOverride: { properties: { cardRowTemplateInfos: count(3) } },
  CardRowTemplateInfo: { exactlyOne: ['oneItem', 'twoItems', 'threeItems'] },
  DetailsTemplateOverride: { required: ['detailsItemInfos'] },
  DetailsItemInfo: { required: ['item'] },
  FieldSelector: { required: ['fields'], properties: { fields: { minItems: 1 } } },
  FieldReference: {
    required: ['fieldPath'],
    properties: { fieldPath: { pattern: "^(?:class|object)\\.[A-Za-z]+(?:\\.[A-Za-z]+|\\['[A-Za-z0-9_-]+'\\])*$" } },
  },
};

const content: Readonly<Record<string, HandRules>> = {
  LocalizedString: { required: ['defaultValue'] },
  TranslatedString: { required: ['language', 'value'], properties: { language } },
  Image: { exactlyOne: ['sourceUri', 'privateImageId'] },
  ImageUri: { required: ['uri'], properties: { uri: { pattern: '^https?://[^\\s/]' } } },
  Uri: {
    required: ['uri'],
    properties: { uri: { pattern: '^(?!(?:javascript|data|vbscript):)[A-Za-z][A-Za-z0-9+.-]*:\\S' } },
  },
  TextModuleData: { properties: { id: moduleId } },
  ValueAddedModuleData: { required: ['header', 'uri'] },
  MerchantLocation: {
    required: ['latitude', 'longitude'],
    properties: { latitude: degrees(90), longitude: degrees(180) },
  },
  Message: { properties: { messageType: { enum: ['TEXT', 'TEXT_AND_NOTIFY'] } } },
  EventVenue: { required: ['name', 'address'] },
  EventDateTime: {
    properties: { start: dateTime, end: dateTime, doorsOpen: dateTime },
    atMostOne: [['doorsOpenLabel', 'customDoorsOpenLabel']],
  },
  DateTime: { required: ['date'], properties: { date: dateTime } },
  TimeInterval: { also: { sameOffsets: true } },
  LoyaltyPoints: { required: ['balance'] },
  LoyaltyPointsBalance: { exactlyOne: ['string', 'int', 'double', 'money'] },
  // Google requires https. Plain http is allowed for a fake Google server on this machine.
  CallbackOptions: {
    properties: { url: { pattern: '^(?:https://[^\\s/]|http://(?:localhost|127\\.0\\.0\\.1)[:/])' } },
  },
};

/** Rules by schema name. */
export const handRules: Readonly<Record<string, HandRules>> = { ...resources, ...codes, ...layout, ...content };

/**
 * The rule for every text except enum values. It forbids empty texts, because Google's converter would fill in a
 * placeholder for them.
 */
export const textRule = text;

/** 64-bit integers are sent as text. */
export const int64Rule = { pattern: '^-?\\d{1,19}$' };
