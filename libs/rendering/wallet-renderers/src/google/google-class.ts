import { hexColour } from '../colour.js';
import { addressLine, mergedPlaces, placeName } from '../merged-locations.js';
import type { RenderLocation, RenderTemplate, RenderType } from '../model.js';
import { isTranslated, ownLanguage, templateInLanguage, translatedLanguages } from '../translations/in-language.js';
import { venueTime } from '../venue-time.js';
import { eventPlace } from '../venue-time-zone.js';
import { classTemplateInfo } from './google-layout.js';
import { googleVertical, ownedProperties, type GoogleContext, type GooglePart } from './google-part.js';
import { bodiesIn, ownedTwins, withTranslations } from './google-translations.js';
import { firstText, image, isBlank, localized, merchantLocations } from './google-values.js';

type OfType = (template: RenderTemplate, context: GoogleContext, classId: string) => object;

/**
 * Builds the class of a template, which all its passes share. A generic class has no name, colour or image, because its
 * objects have them. Google chooses text colours that match the background.
 * @param classId `<issuer id>.<suffix>`. It must differ between template types, because the vertical of a class cannot
 * change
 * @see https://developers.google.com/wallet/reference/rest/v1/offerclass (and its siblings)
 * @throws RangeError for an unreadable background colour
 */
export function googleClass(template: RenderTemplate, classId: string, context: GoogleContext): GooglePart {
  const vertical = googleVertical(template.type);
  const body = bodyInAllLanguages(template, classId, context);
  // Clear the list of details too, because an update keeps omitted values.
  const owned = ownedTwins(ownedProperties[vertical].class, template);
  const ownedParts = template.type === 'event' ? { ownedParts: ownedTimes } : {};
  return { vertical, part: 'class', body, owned, ...ownedParts, replace: false };
}

function bodyInAllLanguages(template: RenderTemplate, classId: string, context: GoogleContext): GooglePart['body'] {
  const own = ownLanguage(template, context.language);
  const bodyIn = (language: string) =>
    classBody(templateInLanguage({ ...template, language: own }, language), classId, { ...context, language });
  if (!isTranslated(template)) return classBody(template, classId, { ...context, language: own });
  const others = translatedLanguages(template).filter((language) => language !== own);
  return withTranslations(bodyIn(own), own, bodiesIn(others, bodyIn));
}

function classBody(template: RenderTemplate, classId: string, context: GoogleContext): GooglePart['body'] {
  return {
    id: classId,
    ...(template.type !== 'generic' && named(template, context)),
    ...ofType[template.type](template, context, classId),
    ...merchantLocations(mergedPlaces(template, { locations: [] })),
    classTemplateInfo: classTemplateInfo(template),
    ...(context.callbackUrl !== null && { callbackOptions: { url: context.callbackUrl } }),
    multipleDevicesAndHoldersAllowedStatus: template.sharingProhibited ? 'ONE_USER_ALL_DEVICES' : 'MULTIPLE_HOLDERS',
  };
}

/** The times that an update must clear explicitly, because Google keeps omitted times. */
const ownedTimes = { dateTime: ['doorsOpen', 'end'] } as const;

/**
 * Returns the properties that all classes except generic ones have. Always sets `reviewStatus` to request a new review,
 * because Google rejects APPROVED.
 */
function named(template: RenderTemplate, { images, language }: GoogleContext): object {
  return {
    issuerName: issuerOf(template),
    reviewStatus: 'UNDER_REVIEW',
    hexBackgroundColor: hexColour(template.backgroundColor),
    ...image('heroImage', images.hero, template.title, language),
  };
}

const ofType: Record<RenderType, OfType> = {
  offer: (template, { images, language }) => ({
    title: titleOf(template),
    provider: issuerOf(template),
    redemptionChannel: 'BOTH',
    ...image('titleImage', images.logo, template.issuerName, language),
    ...image('wideTitleImage', images.wideLogo, template.issuerName, language),
  }),
  event: (template, { images, language }, classId) => ({
    eventName: localized(titleOf(template), language),
    eventId: classId.slice(classId.indexOf('.') + 1).slice(0, maxEventIdLength),
    ...venue(template.location, language),
    ...dateTime(template),
    ...image('logo', images.logo, template.issuerName, language),
    ...image('wideLogo', images.wideLogo, template.issuerName, language),
  }),
  generic: () => ({}),
  membership: (template, { images, language }) => ({
    programName: titleOf(template),
    ...(!isBlank(template.primaryLabel) && { accountNameLabel: template.primaryLabel }),
    ...image('programLogo', images.logo, template.issuerName, language),
    ...image('wideProgramLogo', images.wideLogo, template.issuerName, language),
  }),
};

const maxEventIdLength = 64;

/** Returns the times of an event in the local time of its place. */
function dateTime(template: RenderTemplate): object {
  const { startDate, doorsOpen, endDate } = template;
  if (!startDate) return {};
  const place = eventPlace(template);
  return {
    dateTime: {
      start: venueTime(startDate, place),
      ...(doorsOpen && { doorsOpen: venueTime(doorsOpen, place) }),
      ...(endDate && { end: venueTime(endDate, place) }),
    },
  };
}

/** Returns the venue if it has both a name and an address, because Google would reject the class otherwise. */
function venue(location: RenderLocation | null, language: string): object {
  if (!location || isBlank(placeName(location))) return {};
  const name = firstText(location.name, addressLine(location.address));
  const address = firstText(location.address, location.name);
  return { venue: { name: localized(name, language), address: localized(address, language) } };
}

function titleOf({ title, issuerName }: RenderTemplate): string {
  return firstText(title, issuerName);
}

function issuerOf({ title, issuerName }: RenderTemplate): string {
  return firstText(issuerName, title);
}
