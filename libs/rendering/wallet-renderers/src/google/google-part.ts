import type { RenderType } from '../model.js';

/** Google's name for a kind of pass: offer, event ticket, generic pass or loyalty membership. */
export type GoogleVertical = 'offer' | 'eventTicket' | 'generic' | 'loyalty';

const verticals: Record<RenderType, GoogleVertical> = {
  offer: 'offer',
  event: 'eventTicket',
  generic: 'generic',
  membership: 'loyalty',
};

/** Returns the vertical (Google's kind of pass) of a template type. */
export function googleVertical(type: RenderType): GoogleVertical {
  return verticals[type];
}

/**
 * The absolute addresses of images. Google must be able to fetch each image without credentials or redirects; otherwise
 * the whole write fails. Only a membership's class requires its `logo`.
 */
export interface GoogleImages {
  /** A square image with 660×660 pixels or more; Google masks it to a circle. */
  readonly logo?: string | null;
  /** An image of 1280×400 pixels, which replaces the logo and the name beside it. */
  readonly wideLogo?: string | null;
  /** The image in the full width of the pass, with 1032×336 pixels. */
  readonly hero?: string | null;
}

/** Additional input of a class or an object. */
export interface GoogleContext {
  /** The BCP 47 tag of the language of templates and passes: `en-GB`. */
  readonly language: string;
  readonly images: GoogleImages;
  /** The https address that Google calls when a user saves or removes an object; null for no calls. */
  readonly callbackUrl: string | null;
}

/** The desired state of a class (of a template) or an object (of a pass) at Google. */
export interface GooglePart {
  readonly vertical: GoogleVertical;
  readonly part: 'class' | 'object';
  /** The complete resource. Properties have a fixed order, so that equal content serialises to equal bytes. */
  readonly body: { readonly id: string } & Readonly<Record<string, unknown>>;
  /** Every property of the resource that we may write. A write must clear those that `body` lacks. */
  readonly owned: readonly string[];
  /**
   * The properties of nested values that we may write, by the name of the nested value. A write must clear those that
   * the nested value in `body` lacks.
   */
  readonly ownedParts?: Readonly<Record<string, readonly string[]>>;
  /** True if a partial update could leave an old nested value behind, so that the whole resource must be replaced. */
  readonly replace: boolean;
}

/** The ids of an object, of its class and of its linked objects, each `<issuer id>.<suffix>`. */
export interface GoogleIds {
  readonly objectId: string;
  readonly classId: string;
  /** The group of the object, if any. Google shows the objects of a group together, in the order of `sortIndex`. */
  readonly grouping?: { readonly groupingId: string; readonly sortIndex: number } | null;
  /**
   * Objects that Google adds to the wallet of each holder of this object. Google rejects the write if one of them does
   * not exist.
   */
  readonly linkedObjectIds?: readonly string[];
}

const everyClass = [
  'id',
  'merchantLocations',
  'classTemplateInfo',
  'callbackOptions',
  'multipleDevicesAndHoldersAllowedStatus',
];
const namedClass = [...everyClass, 'issuerName', 'reviewStatus', 'hexBackgroundColor', 'heroImage'];
const everyObject = [
  'id',
  'classId',
  'state',
  'barcode',
  'validTimeInterval',
  'textModulesData',
  'linksModuleData',
  'merchantLocations',
  'groupingInfo',
  // Renderers do not write messages, which the synchronisation adds.
  'messages',
];

/**
 * The properties that a body may have. `linkedObjectIds` is missing, because we never clear it: Google would not remove
 * the linked objects from wallets.
 */
export const ownedProperties: Record<GoogleVertical, Record<GooglePart['part'], readonly string[]>> = {
  offer: {
    class: [...namedClass, 'title', 'provider', 'redemptionChannel', 'titleImage', 'wideTitleImage'],
    object: everyObject,
  },
  eventTicket: {
    class: [...namedClass, 'eventName', 'eventId', 'venue', 'dateTime', 'logo', 'wideLogo'],
    object: [...everyObject, 'ticketNumber'],
  },
  generic: {
    class: everyClass,
    object: [...everyObject, 'cardTitle', 'header', 'subheader', 'logo', 'wideLogo', 'heroImage', 'hexBackgroundColor'],
  },
  loyalty: {
    class: [...namedClass, 'programName', 'accountNameLabel', 'programLogo', 'wideProgramLogo'],
    object: [...everyObject, 'accountName', 'accountId'],
  },
};
