import { shownFormat } from '../code-format.js';
import { hexColour } from '../colour.js';
import { mergedPlaces } from '../merged-locations.js';
import type { CodeFormat, RenderPass, RenderTemplate, RenderType } from '../model.js';
import { passState, type PassState } from '../pass-state.js';
import { modules } from './google-modules.js';
import { googleVertical, ownedProperties, type GoogleContext, type GoogleIds, type GooglePart } from './google-part.js';
import { firstText, image, isBlank, localized, merchantLocations } from './google-values.js';

const states: Record<PassState, string> = {
  voided: 'INACTIVE',
  redeemed: 'COMPLETED',
  expired: 'EXPIRED',
  not_yet_valid: 'ACTIVE',
  valid: 'ACTIVE',
};

/**
 * The object of a pass. All its fields are on it, also those that it has from its template, and so are its template's
 * locations: Google has been seen to heed only an object's. Metadata cannot be on it, for a `RenderPass` has none.
 * @param context its `now` decides the state
 * @see https://developers.google.com/wallet/reference/rest/v1/offerobject (and its siblings)
 * @throws RangeError when the background colour cannot be read
 */
export function googleObject(
  template: RenderTemplate,
  pass: RenderPass,
  { objectId, classId }: GoogleIds,
  context: GoogleContext & { readonly now: Date },
): GooglePart {
  const vertical = googleVertical(template.type);
  const body = {
    id: objectId,
    classId,
    state: states[passState(template, pass, context.now)],
    ...ofType[template.type](template, pass, context),
    ...barcode(template, pass.code),
    ...validity(pass),
    ...modules(template, pass, issuerModule(template, pass)),
    ...merchantLocations(mergedPlaces(template, pass)),
  };
  // An end that the interval has no longer would stay beside the other.
  const replace = (pass.validFrom === null) !== (pass.expiresAt === null);
  return { vertical, part: 'object', body, owned: ownedProperties[vertical].object, replace };
}

/**
 * What takes the place of a deleted pass, since nothing can be deleted at Google: inactive, with nothing personal left.
 * It replaces the whole, so that messages go too.
 */
export function googleDeletedObject(
  deleted: { readonly type: RenderType; readonly issuerName: string },
  { objectId, classId }: GoogleIds,
  context: GoogleContext,
): GooglePart {
  const vertical = googleVertical(deleted.type);
  const issuerName = localized(firstText(deleted.issuerName), context.language);
  const body = {
    id: objectId,
    classId,
    state: 'INACTIVE',
    ...(deleted.type === 'generic' && { cardTitle: issuerName, header: issuerName }),
  };
  return { vertical, part: 'object', body, owned: ownedProperties[vertical].object, replace: true };
}

const ofType: Record<RenderType, (template: RenderTemplate, pass: RenderPass, context: GoogleContext) => object> = {
  offer: () => ({}),
  event: (_, { code }) => ({ ...(isReadable(code) && { ticketNumber: code }) }),
  generic: genericFront,
  membership: (_, { primaryValue, code }) => ({
    ...(!isBlank(primaryValue) && { accountName: primaryValue }),
    ...(isReadable(code) && { accountId: code }),
  }),
};

/** A generic class has nothing of its own: title, colour and images are on the object. */
function genericFront(template: RenderTemplate, pass: RenderPass, { images, language }: GoogleContext): object {
  const { title, issuerName, primaryLabel, backgroundColor } = template;
  const hasPrimary = !isBlank(pass.primaryValue);
  // Without a value of its own the pass's big line is its title, and the small one above says who issued it.
  const [small, big] = hasPrimary
    ? [firstText(title, issuerName), firstText(pass.primaryValue)]
    : [firstText(issuerName, title), firstText(title, issuerName)];
  return {
    cardTitle: localized(small, language),
    header: localized(big, language),
    ...(hasPrimary && !isBlank(primaryLabel) && { subheader: localized(firstText(primaryLabel), language) }),
    ...image('logo', images.logo, issuerName, language),
    // No wide logo: it takes the place of the title, which is nowhere else on the card.
    ...image('heroImage', images.hero, title, language),
    hexBackgroundColor: hexColour(backgroundColor),
  };
}

/** The issuer's name, where it is to be a text module: nothing else of the pass says it. */
function issuerModule({ type, issuerName }: RenderTemplate, { primaryValue }: RenderPass): string | null {
  return type === 'generic' && !isBlank(primaryValue) && !isBlank(issuerName) ? issuerName : null;
}

const barcodeTypes: Record<CodeFormat, string> = {
  qr: 'QR_CODE',
  pdf417: 'PDF_417',
  aztec: 'AZTEC',
  code128: 'CODE_128',
};

/** A barcode of no content would be refused; so it is left out. */
function barcode(template: RenderTemplate, code: string): object {
  if (isBlank(code)) return {};
  return { barcode: { type: barcodeTypes[shownFormat(template, code)], value: code, alternateText: code } };
}

/** True for a code that a person could read out: no address, and no packet of data. */
function isReadable(code: string): boolean {
  return !isBlank(code) && /^[\p{L}\p{N} ._#-]{1,40}$/u.test(code);
}

/** Both ends in UTC: Google wants an offset for both or for neither. */
function validity({ validFrom, expiresAt }: RenderPass): object {
  if (!validFrom && !expiresAt) return {};
  return {
    validTimeInterval: {
      ...(validFrom && { start: { date: validFrom.toISOString() } }),
      ...(expiresAt && { end: { date: expiresAt.toISOString() } }),
    },
  };
}
