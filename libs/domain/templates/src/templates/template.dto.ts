import { DateOrDateTime, DateTime, Flag, ListOf, Nested, OneOf, Text } from '@passwright/core';
import {
  codeFormats,
  maxActions,
  maxFrontFields,
  maxLocations,
  type CodeFormat,
  type Translations,
} from '@passwright/wallet-renderers';
import { sampleUrl } from '@passwright/images';
import { Action, actionsDescription } from '../fields/action.dto.js';
import { Colour } from '../fields/colour.decorator.js';
import { BackField, Field } from '../fields/field.dto.js';
import { Location } from '../fields/location.dto.js';
import { LanguageTag, TextsInLanguages } from '../fields/translations.decorator.js';

const iconRules =
  'URL of a PNG, JPEG or WebP, at most 5 MiB and 25 megapixels: one from the upload route, or any public http(s) URL.';

function ImageUrl(
  what: string,
  example: string,
  { optional = false, rules = 'A URL as for `icon`.' } = {},
): PropertyDecorator {
  return Text({ description: `${what} ${rules}`, max: 2048, optional, example });
}

/** The properties of templates of every type. */
export abstract class TemplateProperties {
  @Colour({ description: 'The font colour. Wallet A and web only.', example: '#ffffff' })
  foregroundColor!: string;

  @Colour({ description: 'The background colour.', example: '#1f2a6b' })
  backgroundColor!: string;

  @Colour({
    description: 'The colour of labels. Default: the foreground colour. Wallet A only.',
    optional: true,
    example: '#ffd479',
  })
  labelColor?: string;

  @ImageUrl('The square icon.', sampleUrl('icon'), { rules: iconRules })
  icon!: string;

  @ImageUrl('The icon with text; it need not be square.', sampleUrl('logo'))
  logo!: string;

  @ImageUrl('The wide image, also used in link previews.', sampleUrl('banner'))
  banner!: string;

  @ImageUrl('The background of the web view. Default: the background colour. Web only.', sampleUrl('background'), {
    optional: true,
  })
  background?: string;

  @Text({ description: 'The title shown on the pass.', max: 200, example: '20% off your next visit' })
  title!: string;

  @Text({ description: 'The name of the issuer.', max: 200, example: 'Sundown Coffee' })
  issuerName!: string;

  @Flag({ description: 'Removes the share button from the passes in both wallets.', optional: true, example: false })
  sharingProhibited?: boolean;

  @OneOf({
    description:
      'The format of the barcode that shows the code of each pass; an extension of this service. Default: ' +
      '`qr`. `code128` holds up to 40 ASCII characters, `code39` up to 28 digits, capital letters, spaces and ' +
      '- . $ / + %, `codabar` up to 36 digits and - $ : / . +, optionally between two letters A to D, `ean13` ' +
      '13 digits, `itf` an even number of digits up to 40. The last digit of an EAN-13 and of an ITF with 14 ' +
      'digits must be its check digit. Wallets that cannot draw the format show a QR code.',
    values: codeFormats,
    optional: true,
    example: 'qr',
  })
  codeFormat?: CodeFormat;

  @ListOf(() => Location, {
    description: 'The places where the passes appear on the lock screen. A pass’s own locations are appended.',
    max: maxLocations,
    optional: true,
  })
  locations?: Location[];

  @ListOf(() => Field, {
    description: 'The fields on the front. A pass can override fields by key.',
    max: maxFrontFields,
    optional: true,
  })
  fields?: Field[];

  @ListOf(() => BackField, {
    description: 'The fields on the back. A pass can override fields by key.',
    max: 50,
    optional: true,
  })
  backFields?: BackField[];

  @LanguageTag({
    description:
      'The BCP 47 tag of the language of the template’s own texts; an extension of this service. Default: the ' +
      'language of the installation, normally `en`.',
    example: 'en',
  })
  language?: string;

  @TextsInLanguages({
    description:
      'The texts in other languages, by BCP 47 tag and key; an extension of this service. Keys are `title`, ' +
      '`issuerName`, `primaryLabel`, `fields.<key>.label`, `.value` and `.changeMessage`, ' +
      '`backFields.<key>.label` and `.value`; `name`, `address` and `relevantText` of `location` and of ' +
      '`locations.<index>`; `actions.<index>.url`; and the addresses of images: `images.logo`, `banner`, ' +
      '`background`, `thumbnail` and `artwork`, at most 20 images in total. Wallets, pages and previews show ' +
      'each holder the texts of their language. At most 40 languages and 100000 bytes.',
    example: { de: { title: '20 % auf den nächsten Besuch' } },
    maxBytes: 100_000,
  })
  translations?: Translations;

  @ListOf(() => Action, {
    description: `${actionsDescription} A pass can have its own actions instead.`,
    max: maxActions,
    optional: true,
  })
  actions?: Action[];
}

/**
 * The properties of templates whose passes can be posters. Event templates are excluded, because Apple requires NFC for
 * their posters.
 */
abstract class PosterTemplateProperties extends TemplateProperties {
  @ImageUrl(
    'The portrait image of the pass as a poster, 358 × 448 points; an extension of this service. On iOS 27 ' +
      'and later, Apple Wallet shows the texts on it; older systems show the classic style. The web view shows ' +
      'it in place of the banner.',
    sampleUrl('artwork'),
    { optional: true },
  )
  artwork?: string;
}

const primaryLabel = { description: 'The label of each pass’s primary value.', max: 100 };

/** A coupon or voucher. The type is optional. */
export class OfferTemplateRequest extends PosterTemplateProperties {
  @OneOf({
    description: 'The type of template. Default: `offer`.',
    values: ['offer'],
    optional: true,
    example: 'offer',
  })
  type?: 'offer';
}

/** A ticket. */
export class EventTemplateRequest extends TemplateProperties {
  @OneOf({ description: 'The type of template.', values: ['event'], example: 'event' })
  type!: 'event';

  @DateOrDateTime({
    description:
      'When the event starts: a date-time with a zone, or a date alone for an event without a time of day. ' +
      'Shown in the time zone of the event’s `location`, or of its `locations` if they share one.',
    example: '2027-06-21T18:00:00.000Z',
  })
  startDate!: string;

  @DateTime({
    description:
      'When the event ends, later than `startDate`; an extension of this service. Phones suggest the pass until then.',
    optional: true,
    example: '2027-06-21T21:00:00.000Z',
  })
  endDate?: string;

  @DateTime({
    description: 'When the doors of the event open, not later than `startDate`; an extension of this service.',
    optional: true,
    example: '2027-06-21T17:00:00.000Z',
  })
  doorsOpen?: string;

  @Nested(() => Location, { description: 'Where the event takes place.', optional: true })
  location?: Location;
}

/** A pass with one primary value, such as the balance of a gift card. */
export class GenericTemplateRequest extends PosterTemplateProperties {
  @OneOf({ description: 'The type of template.', values: ['generic'], example: 'generic' })
  type!: 'generic';

  @Text({ ...primaryLabel, example: 'Balance' })
  primaryLabel!: string;

  @ImageUrl('An image next to the primary value, in place of a banner. Wallet A only.', sampleUrl('thumbnail'))
  thumbnail!: string;
}

/** A membership card. */
export class MembershipTemplateRequest extends PosterTemplateProperties {
  @OneOf({ description: 'The kind of pass.', values: ['membership'], example: 'membership' })
  type!: 'membership';

  @Text({ ...primaryLabel, example: 'Member' })
  primaryLabel!: string;
}

/** Request body of a template upsert: exactly one of four types, distinguished by `type`. */
export type TemplateRequest =
  OfferTemplateRequest | EventTemplateRequest | GenericTemplateRequest | MembershipTemplateRequest;

/** The request classes by `type`. */
export const templateRequests = {
  offer: OfferTemplateRequest,
  event: EventTemplateRequest,
  generic: GenericTemplateRequest,
  membership: MembershipTemplateRequest,
} as const;
