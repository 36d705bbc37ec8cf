import { hexColour } from '../colour.js';
import { mergedPlaces, placeName } from '../merged-locations.js';
import type { RenderLocation, RenderTemplate, RenderType } from '../model.js';
import { classTemplateInfo } from './google-layout.js';
import { googleVertical, ownedProperties, type GoogleContext, type GooglePart } from './google-part.js';
import { firstText, image, isBlank, localized, merchantLocations } from './google-values.js';
import { venueTime } from './venue-clock.js';

type OfType = (template: RenderTemplate, context: GoogleContext, classId: string) => object;

/**
 * The class of a template: what all its passes share. A generic class has no name, colour or image, so that these are
 * on its objects. Foreground and label colours have no counterpart: Google chooses them for the background.
 * @param classId `<issuer id>.<suffix>`; another one for another type of template, since a class keeps its vertical
 * @see https://developers.google.com/wallet/reference/rest/v1/offerclass (and its siblings)
 * @throws RangeError when the background colour cannot be read
 */
export function googleClass(template: RenderTemplate, classId: string, context: GoogleContext): GooglePart {
  const vertical = googleVertical(template.type);
  const body = {
    id: classId,
    ...(template.type !== 'generic' && named(template, context)),
    ...ofType[template.type](template, context, classId),
    ...merchantLocations(mergedPlaces(template, { locations: [] })),
    classTemplateInfo: classTemplateInfo(template),
    ...(context.callbackUrl !== null && { callbackOptions: { url: context.callbackUrl } }),
    multipleDevicesAndHoldersAllowedStatus: template.sharingProhibited ? 'ONE_USER_ALL_DEVICES' : 'MULTIPLE_HOLDERS',
  };
  // No nested value can be left standing but a list of details, which shows the same fields.
  return { vertical, part: 'class', body, owned: ownedProperties[vertical].class, replace: false };
}

/** Every write asks for a review anew: APPROVED is Google's to say, and a body that says so is refused. */
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
    ...(template.startDate && { dateTime: { start: venueTime(template.startDate, template.location) } }),
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

/** A venue has both a name and an address, or Google refuses the class. */
function venue(location: RenderLocation | null, language: string): object {
  if (!location || isBlank(placeName(location))) return {};
  const [name, address] = [firstText(location.name, location.address), firstText(location.address, location.name)];
  return { venue: { name: localized(name, language), address: localized(address, language) } };
}

function titleOf({ title, issuerName }: RenderTemplate): string {
  return firstText(title, issuerName);
}

function issuerOf({ title, issuerName }: RenderTemplate): string {
  return firstText(issuerName, title);
}
