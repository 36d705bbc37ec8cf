import { googleFormat } from '../code-format.js';
import { hexColour } from '../colour.js';
import { mergedPlaces } from '../merged-locations.js';
import type { CodeFormat, RenderPass, RenderTemplate, RenderType } from '../model.js';
import { passState, type PassState } from '../pass-state.js';
import { inLanguage, isTranslated, ownLanguage, translatedLanguages } from '../translations/in-language.js';
import { modules } from './google-modules.js';
import { googleVertical, ownedProperties, type GoogleContext, type GoogleIds, type GooglePart } from './google-part.js';
import { bodiesIn, withTranslations } from './google-translations.js';
import { firstText, image, isBlank, localized, merchantLocations } from './google-values.js';

const states: Record<PassState, string> = {
  voided: 'INACTIVE',
  redeemed: 'COMPLETED',
  expired: 'EXPIRED',
  not_yet_valid: 'ACTIVE',
  valid: 'ACTIVE',
};

/**
 * Builds the object of a pass. It contains all fields and locations, including the template's, because Google seems to
 * use only an object's own.
 * @param context its time `now` decides the state of the object
 * @see https://developers.google.com/wallet/reference/rest/v1/offerobject (and its siblings)
 * @throws RangeError for an unreadable background colour
 */
export function googleObject(
  template: RenderTemplate,
  pass: RenderPass,
  ids: GoogleIds,
  context: ObjectContext,
): GooglePart {
  const vertical = googleVertical(template.type);
  const body = bodyInAllLanguages(template, pass, ids, context);
  // Replace the object if its validity has only a start or only an end, because an update cannot remove the other one.
  const replace = (pass.validFrom === null) !== (pass.expiresAt === null);
  return { vertical, part: 'object', body, owned: ownedProperties[vertical].object, replace };
}

type ObjectContext = GoogleContext & { readonly now: Date };

function bodyInAllLanguages(
  template: RenderTemplate,
  pass: RenderPass,
  ids: GoogleIds,
  context: ObjectContext,
): GooglePart['body'] {
  const own = ownLanguage(template, context.language);
  if (!isTranslated(template, pass)) return objectBody(template, pass, ids, { ...context, language: own });
  const bodyIn = (language: string) => {
    // Do not translate addresses, because Google stores one address per link for all languages.
    const translated = inLanguage({ ...template, language: own }, pass, language, { keepLinks: true });
    return objectBody(translated.template, translated.pass, ids, { ...context, language });
  };
  const others = translatedLanguages(template, pass).filter((language) => language !== own);
  return withTranslations(bodyIn(own), own, bodiesIn(others, bodyIn));
}

function objectBody(
  template: RenderTemplate,
  pass: RenderPass,
  { objectId, classId, grouping, linkedObjectIds = [] }: GoogleIds,
  context: ObjectContext,
): GooglePart['body'] {
  return {
    id: objectId,
    classId,
    state: states[passState(template, pass, context.now)],
    ...ofType[template.type](template, pass, context),
    ...barcode(template, pass.code),
    ...validity(pass),
    ...modules(template, pass, issuerModule(template, pass), context.language),
    ...merchantLocations(mergedPlaces(template, pass)),
    ...(grouping && { groupingInfo: grouping }),
    ...(linkedObjectIds.length > 0 && { linkedObjectIds }),
  };
}

/**
 * Builds the inactive object that replaces a deleted pass, because Google cannot delete objects. It contains no
 * personal data. The caller must replace the whole object, so that Google deletes the messages too.
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

/** Returns the title, colour and images of a generic object, because a generic class cannot have them. */
function genericFront(template: RenderTemplate, pass: RenderPass, { images, language }: GoogleContext): object {
  const { title, issuerName, primaryLabel, backgroundColor } = template;
  const hasPrimary = !isBlank(pass.primaryValue);
  // Without a primary value, the title is the large line, and the issuer is the small line above it.
  const [small, big] = hasPrimary
    ? [firstText(title, issuerName), firstText(pass.primaryValue)]
    : [firstText(issuerName, title), firstText(title, issuerName)];
  return {
    cardTitle: localized(small, language),
    header: localized(big, language),
    ...(hasPrimary && !isBlank(primaryLabel) && { subheader: localized(firstText(primaryLabel), language) }),
    ...image('logo', images.logo, issuerName, language),
    // Omit a wide logo, because it would replace the title, which the card shows nowhere else.
    ...image('heroImage', images.hero, title, language),
    hexBackgroundColor: hexColour(backgroundColor),
  };
}

/** Returns the issuer's name as a text module, if nothing else on the pass shows it. */
function issuerModule({ type, issuerName }: RenderTemplate, { primaryValue }: RenderPass): string | null {
  return type === 'generic' && !isBlank(primaryValue) && !isBlank(issuerName) ? issuerName : null;
}

const barcodeTypes: Record<CodeFormat, string> = {
  qr: 'QR_CODE',
  pdf417: 'PDF_417',
  aztec: 'AZTEC',
  code128: 'CODE_128',
  code39: 'CODE_39',
  codabar: 'CODABAR',
  ean13: 'EAN_13',
  itf: 'ITF_14',
};

/** Returns the barcode, or nothing for an empty code, because Google rejects an empty barcode. */
function barcode(template: RenderTemplate, code: string): object {
  if (isBlank(code)) return {};
  return { barcode: { type: barcodeTypes[googleFormat(template, code)], value: code, alternateText: code } };
}

/** Returns true for a code that a person can read out, unlike a web address or binary data. */
function isReadable(code: string): boolean {
  return !isBlank(code) && /^[\p{L}\p{N} ._#-]{1,40}$/u.test(code);
}

/** Returns the validity period in UTC, because Google requires an offset for start and end, or for neither. */
function validity({ validFrom, expiresAt }: RenderPass): object {
  if (!validFrom && !expiresAt) return {};
  return {
    validTimeInterval: {
      ...(validFrom && { start: { date: validFrom.toISOString() } }),
      ...(expiresAt && { end: { date: expiresAt.toISOString() } }),
    },
  };
}
