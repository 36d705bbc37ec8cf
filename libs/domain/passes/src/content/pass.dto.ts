import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { DateTime, Flag, JsonObject, ListOf, Nested, Text, Untouched } from '@passwright/core';
import { sampleUrl } from '@passwright/images';
import {
  Action,
  actionsDescription,
  BackField,
  Field,
  groupDescription,
  LanguageTag,
  linkedPassesDescription,
  Location,
  maxLinkedPasses,
  PassGroupRequest,
  PassReferenceRequest,
  storedField,
  TextsInLanguages,
} from '@passwright/templates';
import { isVoided, maxActions, maxFrontFields, maxLocations, type Translations } from '@passwright/wallet-renderers';
import type { JsonRecord } from './merge-patch.js';
import type { IssuedPass } from './issued-pass.js';
import { type PassGroup, type PassReference, plainReferences } from './pass-relations.js';
import { translationsDoc, type TranslationsPatch } from './pass-translations.js';

/** Maximum length of the internal metadata serialised as JSON (`String.length`). */
export const maxMetadataLength = 5000;
const metadataExample = { order: 'A-1042', tier: 2 };
const metadataDescription = 'Internal data, which a pass never shows. At most 5000 characters when serialised.';
const maxBackFields = 50;
/** Options of a property that is optional and nullable in OpenAPI. In a patch, null clears the property. */
const clearable = { optional: true, nullable: true };

/** The properties that `PassRequest` and `PassPatch` share. */
abstract class PassProperties {
  @Text({
    description: 'The id of the pass, which cannot be changed. Default: an unguessable id.',
    example: 'ada',
    max: 64,
    pattern: /^(?!batch$)[A-Za-z0-9][A-Za-z0-9._-]*$/,
    patternHint:
      'letters, digits, ".", "_" and "-", beginning with a letter or digit, and not "batch", which is reserved',
    ...clearable,
  })
  id?: string | null;

  @Text({
    description:
      'The content of the barcode, unique within the template. It must fit the `codeFormat` of the template. ' +
      'Default: an unguessable code. A default code does not fit an EAN-13 and is shown as a QR code.',
    example: 'SUMMER-0001',
    max: 512,
    ...clearable,
  })
  code?: string | null;

  @DateTime({
    description: 'The pass is not valid before this time.',
    example: '2026-06-01T00:00:00.000Z',
    ...clearable,
  })
  validFrom?: string | null;

  @DateTime({
    description: 'The pass is not valid from this time on. Must be later than `validFrom`.',
    example: '2030-12-31T23:00:00.000Z',
    ...clearable,
  })
  expiry?: string | null;

  @Text({
    description:
      'The value of the template’s `primaryLabel`. Required for generic and membership templates, rejected for ' +
      'others.',
    example: 'Ada Lovelace',
    max: 512,
    ...clearable,
  })
  primaryValue?: string | null;

  @Text({
    description: 'URL of an image that replaces the template’s thumbnail. Only for generic templates.',
    example: sampleUrl('thumbnail'),
    max: 2048,
    ...clearable,
  })
  thumbnail?: string | null;

  @ListOf(() => Field, {
    description:
      'Each field replaces the template’s field with the same `key`; a field with a new key is appended. At ' +
      'most 4 on the front in total.',
    max: maxFrontFields,
    ...clearable,
  })
  fields?: Field[] | null;

  @ListOf(() => BackField, {
    description: 'Like `fields`, for the back of the pass. Keys are unique across front and back.',
    max: maxBackFields,
    ...clearable,
  })
  backFields?: BackField[] | null;

  @ListOf(() => Location, {
    description: 'Appended to the template’s locations; at most 10 in total.',
    max: maxLocations,
    ...clearable,
  })
  locations?: Location[] | null;

  @LanguageTag({
    description:
      'The BCP 47 tag of the holder’s language; an extension of this service. E-mails use it. The web view ' +
      'uses it if no language of the browser fits.',
    example: 'de',
    nullable: true,
  })
  language?: string | null;

  @ListOf(() => Action, {
    description: `${actionsDescription} They replace those of the template; an empty list removes them.`,
    max: maxActions,
    ...clearable,
  })
  actions?: Action[] | null;

  @Nested(() => PassGroupRequest, { description: groupDescription, ...clearable })
  group?: PassGroupRequest | null;

  @ListOf(() => PassReferenceRequest, { description: linkedPassesDescription, max: maxLinkedPasses, ...clearable })
  linkedPasses?: PassReferenceRequest[] | null;

  @Flag({ description: 'Whether the pass is void.', example: false, ...clearable })
  voided?: boolean | null;
}

/** Request body that creates or replaces a pass. The template's type determines which properties are allowed. */
export class PassRequest extends PassProperties {
  @TextsInLanguages(translationsDoc)
  translations?: Translations | null;

  @JsonObject({
    description: metadataDescription,
    example: metadataExample,
    maxLength: maxMetadataLength,
    ...clearable,
  })
  @Untouched()
  metadata?: JsonRecord | null;
}

/** A JSON merge patch (RFC 7396) of a pass: null clears a property, and absent properties do not change. */
export class PassPatch extends PassProperties {
  @TextsInLanguages({
    ...translationsDoc,
    description: `Merged into the existing translations; null removes a language or a text. ${translationsDoc.description}`,
    isPatch: true,
  })
  translations?: TranslationsPatch | null;

  @JsonObject({
    description: `Merged into the existing metadata; null removes a property. ${metadataDescription}`,
    example: { tier: 3 },
    // The limit applies to the resulting metadata. A patch may be longer, because it can clear many properties.
    maxLength: 4 * maxMetadataLength,
    ...clearable,
  })
  @Untouched()
  metadata?: JsonRecord | null;
}

/** Request body that replaces the metadata. */
export class PassMetadataRequest {
  @JsonObject({
    description: `Replaces the existing metadata. ${metadataDescription}`,
    example: metadataExample,
    maxLength: maxMetadataLength,
  })
  @Untouched()
  metadata!: JsonRecord;
}

/**
 * A pass in responses to its account. Omits properties without a value. Contains the fields and locations of the pass,
 * but not those of the template.
 */
export class PassResponse {
  @ApiProperty({ example: 'ada' })
  id!: string;

  @ApiProperty({ example: 'summer-sale' })
  templateId!: string;

  @ApiProperty({ example: 'acc_3kTq9ZbXcVn1MlPoIu7Yt2' })
  accountId!: string;

  @ApiProperty({ example: 'SUMMER-0001' })
  code!: string;

  @ApiPropertyOptional({ format: 'date-time', example: '2026-06-01T00:00:00.000Z' })
  validFrom?: string;

  @ApiPropertyOptional({ format: 'date-time', example: '2030-12-31T23:00:00.000Z' })
  expiry?: string;

  @ApiProperty({ description: 'True if the pass was voided or its template is archived.', example: false })
  voided!: boolean;

  @ApiPropertyOptional({ example: 'Ada Lovelace' })
  primaryValue?: string;

  @ApiProperty({ type: () => Field, isArray: true, maxItems: maxFrontFields })
  fields!: readonly Field[];

  @ApiProperty({ type: () => BackField, isArray: true, maxItems: maxBackFields })
  backFields!: readonly BackField[];

  @ApiProperty({ type: () => Location, isArray: true, maxItems: maxLocations })
  locations!: readonly Location[];

  @ApiPropertyOptional({ description: 'The language of the holder.', example: 'de' })
  language?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'object', additionalProperties: { type: 'string' } },
    example: translationsDoc.example,
  })
  translations?: Translations;

  @ApiPropertyOptional({ type: () => Action, isArray: true, maxItems: maxActions })
  actions?: readonly Action[];

  @ApiPropertyOptional({ type: () => PassGroupRequest })
  group?: PassGroup;

  @ApiPropertyOptional({
    type: () => PassReferenceRequest,
    isArray: true,
    maxItems: maxLinkedPasses,
    description: 'Other passes of the holder.',
  })
  linkedPasses?: readonly PassReference[];

  @ApiProperty({ type: 'object', additionalProperties: true, example: metadataExample })
  metadata!: JsonRecord;

  @ApiPropertyOptional({ format: 'date-time', description: 'When the pass was redeemed.' })
  redeemedAt?: string;

  @ApiProperty({ format: 'date-time', example: '2026-05-20T10:00:00.000Z' })
  createdAt!: string;

  @ApiProperty({
    format: 'date-time',
    example: '2026-05-20T10:00:00.000Z',
    description:
      'The last change of the pass itself that a holder can see; changes of the metadata do not count. For ' +
      'changes of the template, including archiving, see its `updatedAt`.',
  })
  updatedAt!: string;
}

/** Builds the response for a pass. It contains the metadata, so never use it on a public route. */
export function toPassResponse({ pass, archivedAt }: IssuedPass): PassResponse {
  const { validFrom, expiresAt, primaryValue, redeemedAt, language, translations, actions, group } = pass;
  const linkedPasses = plainReferences(pass.linkedPasses);
  return {
    id: pass.id,
    templateId: pass.templateId,
    accountId: pass.accountId,
    code: pass.code,
    ...(validFrom && { validFrom: validFrom.toISOString() }),
    ...(expiresAt && { expiry: expiresAt.toISOString() }),
    voided: isVoided({ archivedAt }, pass),
    ...(primaryValue !== null && { primaryValue }),
    fields: pass.fields.map(storedField),
    backFields: pass.backFields,
    locations: pass.locations as Location[],
    ...(language !== null && { language }),
    ...(Object.keys(translations ?? {}).length > 0 && { translations: translations ?? {} }),
    ...(actions && { actions }),
    ...(group && { group }),
    ...(linkedPasses && { linkedPasses }),
    metadata: pass.metadata,
    ...(redeemedAt && { redeemedAt: redeemedAt.toISOString() }),
    createdAt: pass.createdAt.toISOString(),
    updatedAt: pass.updatedAt.toISOString(),
  };
}
