import { isDeepStrictEqual } from 'node:util';
import { isDate } from '@passwright/core';
import {
  eventPlace,
  parsedUrl,
  type RenderAction,
  type RenderField,
  type RenderLocation,
  startOfDay,
  type Translations,
} from '@passwright/wallet-renderers';
import { storedLanguage, storedTranslations } from '../fields/translations.decorator.js';
import { imagePurposes, type ImageUrls, type LocalisedImages, type PreparedImages } from '@passwright/images';
import type { TemplateRequest } from './template.dto.js';
import type { Template } from './template.entity.js';

/** The columns that an upsert sets from the request. The service sets the other columns. */
export type TemplateContent = Omit<
  Template,
  'accountId' | 'id' | 'archivedAt' | 'revision' | 'createdAt' | 'updatedAt'
>;

/** Returns the content of a request as columns. Clears the properties that the request omits. */
export function contentOf(
  request: TemplateRequest,
  images: PreparedImages,
  localisedImages: LocalisedImages | null = null,
): TemplateContent {
  return {
    type: request.type ?? 'offer',
    title: request.title,
    issuerName: request.issuerName,
    foregroundColor: request.foregroundColor,
    backgroundColor: request.backgroundColor,
    labelColor: request.labelColor ?? null,
    images,
    localisedImages,
    sharingProhibited: request.sharingProhibited ?? false,
    codeFormat: request.codeFormat ?? 'qr',
    locations: (request.locations ?? []).map(toLocation),
    fields: (request.fields ?? []).map(storedField),
    backFields: (request.backFields ?? []).map(storedField),
    ...timesOf(request),
    location: venueOf(request),
    primaryLabel: request.type === 'generic' || request.type === 'membership' ? request.primaryLabel : null,
    language: storedLanguage(request.language),
    translations: storedTranslations(request.translations),
    actions: request.actions?.length ? request.actions.map(storedAction) : null,
  };
}

/**
 * Returns the translations to store in place of earlier ones. Returns an empty object if a request removes all
 * translations, so that wallets remove them too.
 */
export function replacedTranslations(before: Translations | null, after: Translations | null): Translations | null {
  return after ?? (before && {});
}

/** The times of an event, as its columns store them. */
type Times = Pick<TemplateContent, 'startDate' | 'startDay' | 'endDate' | 'doorsOpen'>;

function timesOf(request: TemplateRequest): Times {
  if (request.type !== 'event') return { startDate: null, startDay: null, endDate: null, doorsOpen: null };
  const place = { location: venueOf(request), locations: request.locations ?? [] };
  return {
    ...startOf(request.startDate, place),
    endDate: request.endDate ? new Date(request.endDate) : null,
    doorsOpen: request.doorsOpen ? new Date(request.doorsOpen) : null,
  };
}

/** Returns the start of an event. A date without a time starts at midnight in the time zone of the event. */
export function startOf(
  startDate: string,
  place: Parameters<typeof eventPlace>[0],
): Pick<Times, 'startDate' | 'startDay'> {
  if (!isDate(startDate)) return { startDate: new Date(startDate), startDay: null };
  return { startDate: startOfDay(startDate, eventPlace(place)), startDay: startDate };
}

function venueOf(request: TemplateRequest): RenderLocation | null {
  return request.type === 'event' && request.location ? toLocation(request.location) : null;
}

/** Returns the image URLs of a request by purpose. Omits absent and null URLs. */
export function imageUrlsOf(request: TemplateRequest): ImageUrls {
  const urls: { readonly [purpose in keyof ImageUrls]?: string | null } = request;
  return Object.fromEntries(
    imagePurposes.flatMap((purpose) => {
      const url = urls[purpose];
      return url === undefined || url === null ? [] : [[purpose, url]];
    }),
  );
}

/** Returns true if two contents are equal in their stored form. Ignores the order of JSON properties. */
export function sameContent(a: TemplateContent, b: TemplateContent): boolean {
  return isDeepStrictEqual(asStored(a), asStored(b));
}

/**
 * Returns the content for the audit trail. Omits the query strings of image addresses, because they may contain secret
 * signatures and audit events cannot be deleted.
 */
export function recordedContent({ images, ...content }: TemplateContent): object {
  const { type, title, issuerName, foregroundColor, backgroundColor, labelColor, sharingProhibited } = content;
  const { codeFormat, locations, fields, backFields, startDate, startDay, endDate, doorsOpen } = content;
  const { location, primaryLabel, language, translations, actions } = content;
  const urls = Object.fromEntries(
    imagePurposes.flatMap((purpose) => (images[purpose] ? [[purpose, recordedUrl(images[purpose].url)]] : [])),
  );
  return {
    ...{ type, title, issuerName, foregroundColor, backgroundColor, labelColor, sharingProhibited, ...urls },
    ...{ codeFormat, locations, fields, backFields, startDate, location, primaryLabel },
    ...(startDay && { startDay }),
    ...(endDate && { endDate }),
    ...(doorsOpen && { doorsOpen }),
    ...(language && { language }),
    ...(translations && { translations: recordedTranslations(translations) }),
    ...(actions && { actions }),
  };
}

function recordedTranslations(translations: Translations): Translations {
  const isImage = (key: string) => key.startsWith('images.');
  const tables = Object.entries(translations).map(([language, table]) => {
    const texts = Object.entries(table).map(([key, text]) => [key, isImage(key) ? recordedUrl(text) : text] as const);
    return [language, Object.fromEntries(texts)] as const;
  });
  return Object.fromEntries(tables);
}

function recordedUrl(url: string): string {
  const address = parsedUrl(url);
  return address ? address.origin + address.pathname : '';
}

function asStored(content: TemplateContent): unknown {
  const { type, title, issuerName, foregroundColor, backgroundColor, labelColor, images } = content;
  const { sharingProhibited, codeFormat, locations, fields, backFields, startDate, location, primaryLabel } = content;
  const { startDay, endDate, doorsOpen, language, actions, localisedImages = null } = content;
  const translations = replacedTranslations({}, content.translations);
  const look = { type, title, issuerName, foregroundColor, backgroundColor, labelColor, images };
  const rest = { sharingProhibited, codeFormat, locations, fields, backFields, startDate, location, primaryLabel };
  const times = { startDay, endDate, doorsOpen };
  return JSON.parse(JSON.stringify({ ...look, ...rest, ...times, language, translations, actions, localisedImages }));
}

/**
 * Returns a front field in the form that templates and passes store. Omits a change message that was not sent. Turns an
 * empty message into null.
 */
export function storedField({ key, label, value, changeMessage }: RenderField): RenderField {
  return { key, label, value, ...(changeMessage !== undefined && { changeMessage: changeMessage || null }) };
}

/** Returns an action in the form that templates and passes store. */
export function storedAction({ type, url }: RenderAction): RenderAction {
  return { type, url };
}

function toLocation({ name, address, latitude, longitude, relevantText }: RenderLocation): RenderLocation {
  const named = typeof name === 'string' ? { name } : {};
  return { ...named, address, latitude, longitude, ...(typeof relevantText === 'string' && { relevantText }) };
}
