import { applePlace, mergedActions } from '../actions.js';
import { shownFormat } from '../code-format.js';
import { appleColour } from '../colour.js';
import { mergedPlaces, placeName } from '../merged-locations.js';
import type { ActionType, CodeFormat, RenderPass, RenderTemplate, RenderType } from '../model.js';
import { isVoided } from '../pass-state.js';
import { endOfDay } from '../venue-time.js';
import { eventPlace, timeZoneAt } from '../venue-time-zone.js';
import { appleFields } from './pass-fields.js';
import type { AppleFields } from './pass-fields.js';
import { applePosterFields, type ApplePosterFields } from './poster-fields.js';

/** The additional input of `applePassJson`, such as the identity that signs the package. */
export interface ApplePassContext {
  /**
   * The pass type identifier. It must equal the UID in the signing certificate's subject, or devices reject the
   * package.
   */
  readonly passTypeIdentifier: string;
  /** The team identifier, 10 characters. It must equal the OU in the signing certificate's subject. */
  readonly teamIdentifier: string;
  /** The base of the PassKit web service, without `/v1` and trailing slash. Devices accept https only. */
  readonly webServiceUrl: string;
  /** The token has at least 16 characters and never changes during the life of the pass. */
  readonly authenticationToken: string;
  /** The language of templates that name no language, as a BCP 47 tag. Default: `en`. */
  readonly language?: string;
  /** True if the package contains artwork. iOS 27 and later then show the pass in the poster style. */
  readonly hasArtwork?: boolean;
  /** The group of the pass, if any. Devices stack event passes that are in the same group. */
  readonly groupingIdentifier?: string;
}

/** The names of the styles. The property of `pass.json` with this name contains the fields of the pass. */
export type AppleStyle = 'coupon' | 'eventTicket' | 'generic' | 'storeCard';

/** The `pass.json` of a pass. Properties have a fixed order, so that equal passes serialise to equal bytes. */
export interface ApplePassJson extends Partial<Record<AppleStyle, AppleFields>> {
  formatVersion: 1;
  passTypeIdentifier: string;
  teamIdentifier: string;
  serialNumber: string;
  organizationName: string;
  description: string;
  logoText?: string;
  foregroundColor: string;
  backgroundColor: string;
  labelColor: string;
  /** The poster style. Newer systems prefer it; older systems use the classic style beside it. */
  posterGeneric?: ApplePosterFields;
  barcodes: AppleBarcode[];
  relevantDate?: string;
  relevantDates?: ({ date: string; relevantDate: string } | { startDate: string; endDate: string })[];
  locations?: AppleLocation[];
  semantics?: AppleSemantics;
  expirationDate?: string;
  voided?: true;
  sharingProhibited?: true;
  groupingIdentifier?: string;
  featuredActions?: AppleAction[];
  webServiceURL: string;
  authenticationToken: string;
}

export interface AppleBarcode {
  format: (typeof barcodeFormats)[CodeFormat];
  message: string;
  messageEncoding: 'iso-8859-1' | 'utf-8';
  altText: string;
}

export interface AppleLocation {
  latitude: number;
  longitude: number;
  relevantText: string;
}

/** A button below the pass, from iOS 27 on. Wallet chooses its icon and words by `type`. */
export type AppleAction = {
  /** The identifier is unique in the pass. */
  identifier: string;
} & ({ type: Exclude<ActionType, 'place'>; url: string } | { type: 'place'; placeIdentifier: string });

export interface AppleSemantics {
  eventName: string;
  eventStartDate?: string;
  eventStartDateInfo?: { date: string; ignoreTimeComponents: true; timeZone?: string };
  eventEndDate?: string;
  venueDoorsOpenDate?: string;
  venueName?: string;
  venueLocation?: { latitude: number; longitude: number };
}

/** The style of each template type. */
export const appleStyles: Record<RenderType, AppleStyle> = {
  offer: 'coupon',
  event: 'eventTicket',
  generic: 'generic',
  membership: 'storeCard',
};

/**
 * Builds the `pass.json` of a pass. The same input gives the same bytes from `JSON.stringify`, so that devices see no
 * false change. A pass that is voided, redeemed or expired, or whose template is archived, is `voided`. Expects content
 * in which `templateProblems` and `passProblems` find no error.
 * @see https://developer.apple.com/documentation/walletpasses/pass
 * @throws RangeError for an unreadable colour or an authentication token with fewer than 16 characters
 */
export function applePassJson(template: RenderTemplate, pass: RenderPass, context: ApplePassContext): ApplePassJson {
  if (context.authenticationToken.length < 16) {
    throw new RangeError('The authentication token has fewer than 16 characters; devices reject such a pass.');
  }
  return {
    formatVersion: 1,
    passTypeIdentifier: context.passTypeIdentifier,
    teamIdentifier: context.teamIdentifier,
    serialNumber: pass.serialNumber,
    organizationName: template.issuerName,
    description: template.title,
    ...logoText(template),
    ...appleColours(template),
    [appleStyles[template.type]]: appleFields(template, pass),
    // Omit the poster of an event, because an event poster would need NFC.
    ...(context.hasArtwork && template.type !== 'event' && { posterGeneric: applePosterFields(template, pass) }),
    barcodes: barcodes(template, pass.code),
    ...relevance(template, pass),
    ...validity(template, pass),
    ...(template.sharingProhibited && { sharingProhibited: true }),
    ...grouping(template, context),
    ...featuredActions(template, pass),
    webServiceURL: context.webServiceUrl,
    authenticationToken: context.authenticationToken,
  };
}

/**
 * Returns the title as text beside the logo of a generic pass or membership, because its front shows the title nowhere
 * else.
 */
function logoText({ type, title }: RenderTemplate): Pick<ApplePassJson, 'logoText'> {
  return type === 'generic' || type === 'membership' ? { logoText: title } : {};
}

/** Returns a template's colours in the notation of pass.json: `rgb(…)`. */
export function appleColours({ foregroundColor, backgroundColor, labelColor }: RenderTemplate) {
  return {
    foregroundColor: appleColour(foregroundColor, backgroundColor),
    backgroundColor: appleColour(backgroundColor),
    // Set the label colour explicitly, because devices would not use the foreground colour by default.
    labelColor: appleColour(labelColor ?? foregroundColor, backgroundColor),
  };
}

const barcodeFormats = {
  qr: 'PKBarcodeFormatQR',
  pdf417: 'PKBarcodeFormatPDF417',
  aztec: 'PKBarcodeFormatAztec',
  code128: 'PKBarcodeFormatCode128',
  code39: 'PKBarcodeFormatCode39',
  codabar: 'PKBarcodeFormatCodabar',
  ean13: 'PKBarcodeFormatEAN13',
  itf: 'PKBarcodeFormatI2of5',
} as const satisfies Record<CodeFormat, string>;

/** The formats that every device draws. */
export const drawnEverywhere: readonly CodeFormat[] = ['qr', 'pdf417', 'aztec'];

/** The formats that iPhones draw from iOS 27 on. */
export const drawnFromIos27: readonly CodeFormat[] = ['code39', 'codabar', 'ean13', 'itf'];

/**
 * Returns the barcode in one or two formats; a device shows the first format that it can draw. The second format is a
 * QR code: for Code 128, which watches cannot draw, and for the formats of `drawnFromIos27`. The encoding must be able
 * to express the code, or devices show no barcode.
 */
function barcodes(template: RenderTemplate, code: string): AppleBarcode[] {
  const messageEncoding = /^[\u0000-\u00ff]*$/.test(code) ? 'iso-8859-1' : 'utf-8';
  const shown = shownFormat(template, code);
  const formats = drawnEverywhere.includes(shown) ? [shown] : [shown, 'qr' as const];
  return formats.map((format) => ({ format: barcodeFormats[format], message: code, messageEncoding, altText: code }));
}

function relevance(template: RenderTemplate, pass: RenderPass): Partial<ApplePassJson> {
  const locations = appleLocations(template, pass);
  return {
    ...(template.startDate && {
      // Systems before iOS 18 use this property.
      relevantDate: template.startDate.toISOString(),
      relevantDates: relevantDates(template, template.startDate),
    }),
    ...(locations.length > 0 && { locations }),
    ...(template.type === 'event' && { semantics: semantics(template) }),
  };
}

const dayMs = 24 * 3_600_000;
const maxIntervals = 10;

/**
 * Returns the intervals in which an event is relevant: from the opening of the doors, or else the start, to the end. If
 * the end is unknown, the event is relevant around its start. A long event has one interval per day, at most ten,
 * because devices reportedly use only 24 hours of each interval.
 */
function relevantDates(template: RenderTemplate, startDate: Date): NonNullable<ApplePassJson['relevantDates']> {
  const { startDay, endDate, doorsOpen } = template;
  const from = (doorsOpen ?? startDate).getTime();
  const until = endDate?.getTime() ?? (startDay ? endOfDay(startDay, eventPlace(template)).getTime() : from);
  const start = startDate.toISOString();
  // iOS 18 uses the name `relevantDate` instead of `date`.
  if (until <= from) return [{ date: start, relevantDate: start }];
  const count = Math.min(maxIntervals, Math.ceil((until - from) / dayMs));
  return Array.from({ length: count }, (_, index) => ({
    startDate: new Date(from + index * dayMs).toISOString(),
    endDate: new Date(Math.min(until, from + (index + 1) * dayMs)).toISOString(),
  }));
}

function semantics(template: RenderTemplate): AppleSemantics {
  const { title, startDate, startDay, endDate, doorsOpen, location: venue } = template;
  return {
    eventName: title,
    ...(startDate && { eventStartDate: startDate.toISOString() }),
    ...(startDate && startDay && { eventStartDateInfo: wholeDay(startDate, eventPlace(template)) }),
    ...(endDate && { eventEndDate: endDate.toISOString() }),
    ...(doorsOpen && { venueDoorsOpenDate: doorsOpen.toISOString() }),
    ...(venue && {
      venueName: placeName(venue),
      venueLocation: { latitude: venue.latitude, longitude: venue.longitude },
    }),
  };
}

/** Returns the start of an event without a time of day, in the form that calendar apps need. */
function wholeDay(date: Date, place: ReturnType<typeof eventPlace>): AppleSemantics['eventStartDateInfo'] {
  return { date: date.toISOString(), ignoreTimeComponents: true, ...(place && { timeZone: timeZoneAt(place) }) };
}

function appleLocations(template: RenderTemplate, pass: RenderPass): AppleLocation[] {
  return mergedPlaces(template, pass).map((location) => ({
    latitude: location.latitude,
    longitude: location.longitude,
    relevantText: location.relevantText || placeName(location),
  }));
}

function validity(template: RenderTemplate, pass: RenderPass): Pick<ApplePassJson, 'expirationDate' | 'voided'> {
  return {
    ...(pass.expiresAt && { expirationDate: pass.expiresAt.toISOString() }),
    ...((isVoided(template, pass) || pass.redeemedAt || pass.expiredAt) && { voided: true }),
  };
}

/** Returns the group of an event pass. Apple Wallet ignores the groups of passes of other types. */
function grouping({ type }: RenderTemplate, { groupingIdentifier }: ApplePassContext) {
  return type === 'event' && groupingIdentifier !== undefined ? { groupingIdentifier } : {};
}

function featuredActions(template: RenderTemplate, pass: RenderPass): Pick<ApplePassJson, 'featuredActions'> {
  const actions = mergedActions(template, pass);
  if (actions.length === 0) return {};
  return {
    featuredActions: actions.map(({ type, url }, index): AppleAction => {
      const identifier = `${type}-${index + 1}`;
      // An action of type `place` has a place identifier instead of an address.
      if (type === 'place') return { identifier, type, placeIdentifier: applePlace(url) ?? '' };
      return { identifier, type, url: url.replace(/^tel:/, 'tel://') };
    }),
  };
}
