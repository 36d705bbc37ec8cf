import { ValidationFailed } from '@passwright/core';
import { storedAction, storedField, storedLanguage, storedTranslations, type Template } from '@passwright/templates';
import {
  passProblems,
  type RenderAction,
  type RenderField,
  type RenderLocation,
  type Translations,
} from '@passwright/wallet-renderers';
import { applyMergePatch, type JsonRecord } from './merge-patch.js';
import { patchedTranslations, translationProblems } from './pass-translations.js';
import { type PassGroup, type PassReference, patchedGroup, plainReferences, storedGroup } from './pass-relations.js';
import { maxMetadataLength, type PassPatch, type PassRequest } from './pass.dto.js';
import type { Pass } from './pass.entity.js';

/** All content of a pass that a caller can choose, under the entity's property names. Absent values are null. */
export interface PassContent {
  readonly code: string | null;
  readonly validFrom: Date | null;
  readonly expiresAt: Date | null;
  readonly primaryValue: string | null;
  readonly thumbnailUrl: string | null;
  readonly fields: RenderField[];
  readonly backFields: RenderField[];
  readonly locations: RenderLocation[];
  readonly language: string | null;
  readonly translations: Translations | null;
  readonly actions: RenderAction[] | null;
  readonly group: PassGroup | null;
  readonly linkedPasses: PassReference[] | null;
  readonly metadata: JsonRecord;
  readonly voided: boolean;
}

/** Returns the content of a request, with defaults for absent properties. */
export function requestedContent(request: PassRequest): PassContent {
  return {
    code: request.code ?? null,
    validFrom: toDate(request.validFrom),
    expiresAt: toDate(request.expiry),
    primaryValue: request.primaryValue ?? null,
    thumbnailUrl: request.thumbnail ?? null,
    fields: (request.fields ?? []).map(storedField),
    backFields: (request.backFields ?? []).map(storedField),
    locations: (request.locations ?? []).map(plainLocation),
    language: storedLanguage(request.language),
    translations: storedTranslations(request.translations),
    actions: request.actions?.map(storedAction) ?? null,
    group: storedGroup(request.group),
    linkedPasses: plainReferences(request.linkedPasses),
    metadata: request.metadata ?? {},
    voided: request.voided ?? false,
  };
}

/** Returns the content of an existing pass. */
export function currentContent(pass: Pass): PassContent {
  const { code, validFrom, expiresAt, primaryValue, fields, backFields, locations, language, actions, metadata } = pass;
  const thumbnailUrl = pass.thumbnail?.url ?? null;
  const voided = pass.voidedAt !== null;
  const texts = { primaryValue, fields, backFields, locations, language };
  const translations = storedTranslations(pass.translations);
  const others = { group: pass.group, linkedPasses: plainReferences(pass.linkedPasses) };
  return { code, validFrom, expiresAt, thumbnailUrl, ...texts, translations, actions, ...others, metadata, voided };
}

/**
 * Returns the content of a pass after a JSON merge patch: null clears a property, and absent properties do not change.
 * Replaces whole lists, but merges translations, the group and the metadata.
 * @see https://www.rfc-editor.org/rfc/rfc7396
 */
export function patchedContent(pass: Pass, patch: PassPatch): PassContent {
  const requested = requestedContent({ ...patch, translations: null });
  const current = currentContent(pass);
  const chosen = <Name extends keyof PassContent>(name: Name, given: unknown): PassContent[Name] =>
    given === undefined ? current[name] : requested[name];
  return {
    code: chosen('code', patch.code),
    validFrom: chosen('validFrom', patch.validFrom),
    expiresAt: chosen('expiresAt', patch.expiry),
    primaryValue: chosen('primaryValue', patch.primaryValue),
    thumbnailUrl: chosen('thumbnailUrl', patch.thumbnail),
    fields: chosen('fields', patch.fields),
    backFields: chosen('backFields', patch.backFields),
    locations: chosen('locations', patch.locations),
    language: chosen('language', patch.language),
    translations: patch.translations
      ? patchedTranslations(current.translations, patch.translations)
      : chosen('translations', patch.translations),
    actions: chosen('actions', patch.actions),
    group: patch.group ? patchedGroup(current.group, patch.group) : chosen('group', patch.group),
    linkedPasses: chosen('linkedPasses', patch.linkedPasses),
    metadata: patch.metadata ? applyMergePatch(current.metadata, patch.metadata) : chosen('metadata', patch.metadata),
    voided: chosen('voided', patch.voided),
  };
}

/**
 * Returns the fields of a request. A field with an unchanged value keeps its stored values in other languages, which
 * requests cannot contain.
 */
export function withStoredValues(fields: readonly RenderField[], stored: readonly RenderField[]): RenderField[] {
  const known = new Map(stored.map((field) => [field.key, field]));
  return fields.map((field) => {
    const { value, valueIn } = known.get(field.key) ?? {};
    return valueIn && value === field.value ? { ...field, valueIn } : field;
  });
}

/**
 * Returns one sentence for each problem of a pass of `template` with this content: errors of the template lint, and
 * translations or metadata that are too large.
 */
export function contentProblems(template: Template, content: PassContent): string[] {
  return [
    ...passProblems(template, content),
    ...translationProblems(content.translations),
    ...metadataProblems(content.metadata),
  ];
}

/**
 * Rejects content with problems. @param pass the current pass; its existing problems are ignored
 * @throws ValidationFailed
 */
export function requireValid(template: Template, content: PassContent, pass?: Pass): void {
  const found = contentProblems(template, content);
  if (found.length === 0) return;
  const before = pass ? contentProblems(template, currentContent(pass)) : [];
  const problems = found.filter((problem) => !before.includes(problem));
  if (problems.length > 0) throw new ValidationFailed(problems);
}

function metadataProblems(metadata: JsonRecord): string[] {
  const { length } = JSON.stringify(metadata);
  return length > maxMetadataLength
    ? [`metadata must be at most ${maxMetadataLength} characters when serialised, and would be ${length}`]
    : [];
}

function toDate(text: string | null | undefined): Date | null {
  return text ? new Date(text) : null;
}

// Store plain objects without empty properties, so that they compare equal to the stored value.
function plainLocation({ name, address, latitude, longitude, relevantText }: RenderLocation): RenderLocation {
  return {
    ...(typeof name === 'string' && { name }),
    address,
    latitude,
    longitude,
    ...(typeof relevantText === 'string' && { relevantText }),
  };
}
