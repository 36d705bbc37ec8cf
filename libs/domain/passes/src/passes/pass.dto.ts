import { ApiProperty, ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import { DateTime, Flag, JsonObject, ListOf, Tagged, Text, Untouched, versionSuffix } from '@passwright/core';
import { sampleUrl } from '@passwright/images';
import { BackField, Field, Location } from '@passwright/templates';
import { isVoided, maxFrontFields, maxLocations } from '@passwright/wallet-renderers';
import { passLinks } from './pass-links.js';
import type { JsonRecord } from './merge-patch.js';
import { maxMetadataLength } from './pass-content.js';
import type { IssuedPass } from './passes.repository.js';

const metadataExample = { order: 'A-1042', tier: 2 };
const metadataDescription = 'For internal use: never shown by a pass. At most 5000 characters when serialised.';
const maxBackFields = 50;
/** Null means none, and says so in the document: in a patch, it is how a property is cleared. */
const clearable = { optional: true, nullable: true };

/** What `PassRequest` and `PassPatch` share. */
abstract class PassProperties {
  @Text({
    description: 'Its id: give it one of your own, or leave it out for an unguessable one. Cannot be changed.',
    example: 'ada',
    max: 64,
    pattern: /^(?!batch$)[A-Za-z0-9][A-Za-z0-9._-]*$/,
    patternHint:
      'letters, digits, ".", "_" and "-", beginning with a letter or digit, and not "batch", which is reserved',
    ...clearable,
  })
  id?: string | null;

  @Text({
    description: 'What the barcode says, unique in the template; without one, an unguessable one is chosen.',
    example: 'SUMMER-0001',
    max: 512,
    ...clearable,
  })
  code?: string | null;

  @DateTime({ description: 'Not valid before.', example: '2026-06-01T00:00:00.000Z', ...clearable })
  validFrom?: string | null;

  @DateTime({ description: 'Not valid from then on; later than `validFrom`.', ...clearable })
  expiry?: string | null;

  @Text({
    description: "The value of the template's `primaryLabel`: required for generic and membership, refused for others.",
    example: 'Ada Lovelace',
    max: 512,
    ...clearable,
  })
  primaryValue?: string | null;

  @Text({
    description: "Address of an image instead of the template's thumbnail; generic templates only.",
    example: sampleUrl('thumbnail'),
    max: 2048,
    ...clearable,
  })
  thumbnail?: string | null;

  @ListOf(() => Field, {
    description:
      "By `key`, each replaces the template's field of that key; a new key is appended. At most 4 on the front in all.",
    max: maxFrontFields,
    ...clearable,
  })
  fields?: Field[] | null;

  @ListOf(() => BackField, {
    description: 'The same for the back. Keys are unique over front and back.',
    max: maxBackFields,
    ...clearable,
  })
  backFields?: BackField[] | null;

  @ListOf(() => Location, {
    description: "After the template's; at most 10 in all.",
    max: maxLocations,
    ...clearable,
  })
  locations?: Location[] | null;

  @Flag({ description: 'Whether the pass is void.', example: false, ...clearable })
  voided?: boolean | null;
}

/** The body of a create or an upsert; which properties a pass takes depends on its template's type. */
export class PassRequest extends PassProperties {
  @JsonObject({
    description: metadataDescription,
    example: metadataExample,
    maxLength: maxMetadataLength,
    ...clearable,
  })
  @Untouched()
  metadata?: JsonRecord | null;
}

/** A JSON merge patch (RFC 7396) of a pass: null clears a property, what is left out stays. */
export class PassPatch extends PassProperties {
  @JsonObject({
    description: `Merged into what is there; a property that is null goes. ${metadataDescription}`,
    example: { tier: 3 },
    // The limit is the result's: a patch that clears a lot may itself be longer.
    maxLength: 4 * maxMetadataLength,
    ...clearable,
  })
  @Untouched()
  metadata?: JsonRecord | null;
}

/** The body of the metadata route. */
export class PassMetadataRequest {
  @JsonObject({
    description: `Instead of what is there. ${metadataDescription}`,
    example: metadataExample,
    maxLength: maxMetadataLength,
  })
  @Untouched()
  metadata!: JsonRecord;
}

/** A pass in answers to its account. What is not set is left out; fields and locations are the pass's own, unmerged. */
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

  @ApiPropertyOptional({ format: 'date-time', example: '2026-12-31T23:00:00.000Z' })
  expiry?: string;

  @ApiProperty({ description: 'Voided itself, or its template is archived.', example: false })
  voided!: boolean;

  @ApiPropertyOptional({ example: 'Ada Lovelace' })
  primaryValue?: string;

  @ApiProperty({ type: () => Field, isArray: true })
  fields!: readonly Field[];

  @ApiProperty({ type: () => BackField, isArray: true })
  backFields!: readonly BackField[];

  @ApiProperty({ type: () => Location, isArray: true })
  locations!: readonly Location[];

  @ApiProperty({ type: 'object', additionalProperties: true, example: metadataExample })
  metadata!: JsonRecord;

  @ApiPropertyOptional({ format: 'date-time', description: 'When it was redeemed.' })
  redeemedAt?: string;

  @ApiProperty({ format: 'date-time', example: '2026-05-20T10:00:00.000Z' })
  createdAt!: string;

  @ApiProperty({
    format: 'date-time',
    example: '2026-05-20T10:00:00.000Z',
    description:
      'The last change of the pass itself that a holder sees; a change of the metadata alone is none. That of its template, an archive included, is the `updatedAt` of the template.',
  })
  updatedAt!: string;
}

class Links {
  @ApiProperty({ description: 'The Apple Wallet package; public.' })
  walletAUrl!: string;

  @ApiProperty({ description: 'The Google Wallet save link; public.' })
  walletBUrl!: string;

  @ApiProperty({ description: 'The web view; public.' })
  webUrl!: string;
}

/** The answer for one pass: the pass and where it can be had. */
export class PassWithLinks extends Links {
  @ApiProperty({ type: () => PassResponse })
  pass!: PassResponse;
}

/** A pass in a list, which has its links beside its own properties. */
export class ListedPass extends IntersectionType(PassResponse, Links) {}

/** What its account may read of a pass. The metadata is in it: never answer a public route with this. */
export function toPassResponse({ pass, archivedAt }: IssuedPass): PassResponse {
  const { validFrom, expiresAt, primaryValue, redeemedAt } = pass;
  return {
    id: pass.id,
    templateId: pass.templateId,
    accountId: pass.accountId,
    code: pass.code,
    ...(validFrom && { validFrom: validFrom.toISOString() }),
    ...(expiresAt && { expiry: expiresAt.toISOString() }),
    voided: isVoided({ archivedAt }, pass),
    ...(primaryValue !== null && { primaryValue }),
    fields: pass.fields,
    backFields: pass.backFields,
    locations: pass.locations as Location[],
    metadata: pass.metadata,
    ...(redeemedAt && { redeemedAt: redeemedAt.toISOString() }),
    createdAt: pass.createdAt.toISOString(),
    updatedAt: pass.updatedAt.toISOString(),
  };
}

/** The entity tag of a pass as its account reads it. It names the very pass: one made anew under the same id differs. */
export function passTag({ pass, archivedAt }: IssuedPass): string {
  return `"${pass.version}-${pass.serialNumber.slice(0, 8)}${archivedAt ? '-archived' : ''}${versionSuffix()}"`;
}

/** The answer for one pass, with its entity tag. */
export function taggedPass(issued: IssuedPass, baseUrl: string): Tagged<PassWithLinks> {
  return new Tagged({ pass: toPassResponse(issued), ...linksOf(issued, baseUrl) }, passTag(issued));
}

export function toListedPass(issued: IssuedPass, baseUrl: string): ListedPass {
  return { ...toPassResponse(issued), ...linksOf(issued, baseUrl) };
}

function linksOf({ pass: { accountId, templateId, id: passId } }: IssuedPass, baseUrl: string): Links {
  return passLinks(baseUrl, { accountId, templateId, passId });
}
