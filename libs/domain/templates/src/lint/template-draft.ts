import { bodyValidation, isDate, isDateTime, ValidationFailed } from '@passwright/core';
import {
  type ActionType,
  codeFormats,
  type LintContext,
  type ExaminedPass,
  type RenderAction,
  type RenderField,
  type RenderLocation,
  type RenderTemplate,
  type RenderType,
  type Translations,
} from '@passwright/wallet-renderers';
import { imagePurposes, type ImageUrls } from '@passwright/images';
import { maxLinkedPasses } from '../fields/pass-relations.dto.js';
import { storedLanguage, storedTranslations, translationsProblem } from '../fields/translations.decorator.js';
import { startOf, storedAction, storedField } from '../templates/template-content.js';
import { LintPass } from './template-lint.dto.js';
import { inForm } from '../templates/template-request.pipe.js';
import { templateRequests } from '../templates/template.dto.js';

type Json = Record<string, unknown>;

/**
 * The maximum number of list items, and of UTF-16 units in a text. Each is one more than a saved template or pass may
 * have (`template.dto.ts`), so that the lint still finds the excess.
 */
const maxItems = 50 + 1;
const maxUnits = 2 * (4000 + 1);

/**
 * The readable part of a draft. `rejected` contains the messages with which a save would reject malformed properties.
 */
interface Draft<Content> {
  readonly content: Content;
  readonly rejected: NonNullable<LintContext['rejected']>;
}

/** An unsaved template with the addresses of its images. */
export interface TemplateDraft extends Draft<RenderTemplate> {
  readonly images: ImageUrls;
}

export interface PassDraft extends Draft<ExaminedPass> {
  /** The ids of the templates to which the linked passes belong. */
  readonly linkedTemplates: readonly string[];
}

/** Reads a template request that may contain mistakes. A malformed property counts as empty, and `rejected` names it. */
export async function templateDraft(body: Json): Promise<TemplateDraft> {
  const { type } = body;
  const venue = type === 'event' && isObject(body.location) ? location(body.location) : null;
  const content: RenderTemplate = {
    type: typeof type === 'string' && Object.hasOwn(templateRequests, type) ? (type as RenderType) : 'offer',
    title: text(body.title),
    issuerName: text(body.issuerName),
    foregroundColor: text(body.foregroundColor),
    backgroundColor: text(body.backgroundColor),
    labelColor: optionalText(body.labelColor),
    sharingProhibited: body.sharingProhibited === true,
    codeFormat: codeFormats.find((format) => format === body.codeFormat) ?? 'qr',
    locations: locations(body.locations),
    fields: fields(body.fields),
    backFields: fields(body.backFields),
    ...start(type === 'event' ? body.startDate : null, { location: venue, locations: locations(body.locations) }),
    endDate: type === 'event' ? date(body.endDate) : null,
    doorsOpen: type === 'event' ? date(body.doorsOpen) : null,
    location: venue,
    primaryLabel: type === 'generic' || type === 'membership' ? text(body.primaryLabel) : null,
    language: storedLanguage(optionalText(body.language)),
    translations: translations(body.translations),
    actions: objects(body.actions).length > 0 ? actions(body.actions) : null,
    archivedAt: null,
  };
  const urls = imagePurposes.flatMap((purpose) => {
    const url = body[purpose];
    return typeof url === 'string' && url !== '' ? [[purpose, url] as const] : [];
  });
  const sentences = await rejectionOf(inForm(body));
  const rejected = sentences.map((sentence) => ({ in: 'template' as const, sentence }));
  return { content, images: Object.fromEntries(urls), rejected };
}

/** Reads a pass request that may contain mistakes. */
export async function passDraft(body: Json): Promise<PassDraft> {
  const content: ExaminedPass = {
    code: optionalText(body.code),
    validFrom: date(body.validFrom),
    expiresAt: date(body.expiry),
    primaryValue: optionalText(body.primaryValue),
    thumbnailUrl: optionalText(body.thumbnail),
    locations: locations(body.locations),
    fields: fields(body.fields),
    backFields: fields(body.backFields),
    language: storedLanguage(optionalText(body.language)),
    translations: translations(body.translations),
    actions: Array.isArray(body.actions) ? actions(body.actions) : null,
    group: isObject(body.group) ? { id: text(body.group.id) } : null,
  };
  const sentences = await rejectionOf(bodyValidation.transform(body, { type: 'body', metatype: LintPass }));
  const linkedTemplates = objects(body.linkedPasses)
    .slice(0, maxLinkedPasses)
    .map(({ templateId }) => text(templateId));
  return { content, linkedTemplates, rejected: sentences.map((sentence) => ({ in: 'pass', sentence })) };
}

async function rejectionOf(validation: Promise<unknown>): Promise<readonly string[]> {
  try {
    await validation;
    return [];
  } catch (error) {
    if (error instanceof ValidationFailed) return error.problems;
    throw error;
  }
}

function text(value: unknown): string {
  return optionalText(value) ?? '';
}

function optionalText(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, maxUnits) : null;
}

function date(value: unknown): Date | null {
  return typeof value === 'string' && isDateTime(value) ? new Date(value) : null;
}

function start(value: unknown, place: Pick<RenderTemplate, 'location' | 'locations'>) {
  if (typeof value !== 'string' || !(isDateTime(value) || isDate(value))) return { startDate: null, startDay: null };
  return startOf(value, place);
}

function fields(value: unknown): RenderField[] {
  return objects(value).map(({ key, label, value, changeMessage }) => {
    const own = typeof changeMessage === 'string' || changeMessage === null ? { changeMessage } : {};
    return storedField({ key: text(key), label: text(label), value: text(value), ...own });
  });
}

function translations(value: unknown): Translations | null {
  return translationsProblem(value, { maxBytes: Infinity }) === null ? storedTranslations(value as Translations) : null;
}

/** Reads actions. Keeps unknown types, because the lint only compares types. */
function actions(value: unknown): RenderAction[] {
  return objects(value).map(({ type, url }) => storedAction({ type: text(type) as ActionType, url: text(url) }));
}

function locations(value: unknown): RenderLocation[] {
  return objects(value).map(location);
}

function location({ name, address, latitude, longitude, relevantText }: Json): RenderLocation {
  const number = (value: unknown) => (typeof value === 'number' ? value : NaN);
  return {
    name: optionalText(name),
    address: text(address),
    latitude: number(latitude),
    longitude: number(longitude),
    relevantText: optionalText(relevantText),
  };
}

/**
 * Returns the items of a list as objects. Replaces other items with empty objects, so that each item keeps its index in
 * paths.
 */
function objects(value: unknown): Json[] {
  const items: readonly unknown[] = Array.isArray(value) ? value.slice(0, maxItems) : [];
  return items.map((item) => (isObject(item) ? item : {}));
}

/** Returns true for a JSON object, false for a list and all other values. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
