import type { RenderType } from '../model.js';

/** What Google calls the kinds of passes: an offer, an event ticket, a generic pass, a loyalty membership. */
export type GoogleVertical = 'offer' | 'eventTicket' | 'generic' | 'loyalty';

const verticals: Record<RenderType, GoogleVertical> = {
  offer: 'offer',
  event: 'eventTicket',
  generic: 'generic',
  membership: 'loyalty',
};

/** The vertical of each type of template. */
export function googleVertical(type: RenderType): GoogleVertical {
  return verticals[type];
}

/**
 * Absolute addresses that Google can fetch without credentials and redirects: one that it cannot fails the whole write.
 * What is left out is not shown; only a membership's class cannot do without its `logo`.
 */
export interface GoogleImages {
  /** Square, 660×660 or more; Google masks it to a circle. */
  readonly logo?: string | null;
  /** 1280×400; it takes the place of the logo and of the name beside it. */
  readonly wideLogo?: string | null;
  /** 1032×336. */
  readonly hero?: string | null;
}

/** What a class or an object needs besides template and pass. */
export interface GoogleContext {
  /** BCP 47 tag of the language that templates and passes are written in: `en-GB`. */
  readonly language: string;
  readonly images: GoogleImages;
  /** Where Google says that an object was saved or removed, https; null for nowhere. */
  readonly callbackUrl: string | null;
}

/** A class (of a template) or an object (of a pass) as it should be at Google. */
export interface GooglePart {
  readonly vertical: GoogleVertical;
  readonly part: 'class' | 'object';
  /** Complete. Properties stand in a fixed order, so that equal content serialises to equal bytes. */
  readonly body: { readonly id: string } & Readonly<Record<string, unknown>>;
  /** Every property that may ever be written of such a part: those that `body` lacks are to be cleared. */
  readonly owned: readonly string[];
  /** True when a change in parts could leave an old nested value standing: then the whole is to be replaced. */
  readonly replace: boolean;
}

/** Names of an object and its class at Google, each `<issuer id>.<suffix>`. */
export interface GoogleIds {
  readonly objectId: string;
  readonly classId: string;
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
  // Never in a body: what holders are told comes after a write, and what they were told before goes with it.
  'messages',
];

/** What may be written of each part; a body never has another property. */
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
