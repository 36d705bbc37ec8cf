import { ApiProperty, ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import { versionSuffix } from '@passwright/core';
import { imagePurposes, type PreparedImages } from '@passwright/images';
import {
  EventTemplateRequest,
  GenericTemplateRequest,
  MembershipTemplateRequest,
  OfferTemplateRequest,
} from './template.dto.js';
import { Notifications } from '../notices/notifications.dto.js';
import type { Template } from './template.entity.js';

/** The properties that the service adds to a template. */
export class TemplateRecord {
  @ApiProperty({ description: 'Unique within the account.', example: 'summer-sale' })
  id!: string;

  @ApiProperty({ description: 'The account that owns the template.', example: 'acc_3kTq9ZbXcVn1MlPoIu7Yt2' })
  accountId!: string;

  @ApiProperty({
    description: 'True if the template is archived: no new passes can be issued, and all its passes are ' + 'void.',
  })
  archived!: boolean;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T10:00:00.000Z' })
  createdAt!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T10:00:00.000Z' })
  updatedAt!: string;

  @ApiPropertyOptional({
    type: () => Notifications,
    description:
      'Only in the response to a visible change: the notifications that holders see. Google allows three ' +
      'notifications of a pass in 24 hours.',
  })
  notifications?: Notifications;
}

export class OfferTemplate extends IntersectionType(TemplateRecord, OfferTemplateRequest) {
  @ApiProperty({ type: String, enum: ['offer'], required: true, description: 'The type of template.' })
  declare type: 'offer';
}
export class EventTemplate extends IntersectionType(TemplateRecord, EventTemplateRequest) {}
export class GenericTemplate extends IntersectionType(TemplateRecord, GenericTemplateRequest) {}
export class MembershipTemplate extends IntersectionType(TemplateRecord, MembershipTemplateRequest) {}

/**
 * A template in responses: the properties of the last upsert, and those that the service adds. Omits optional texts
 * without a value.
 */
export type TemplateResponse = OfferTemplate | EventTemplate | GenericTemplate | MembershipTemplate;

/** The response variants by their `type`. */
export const templateResponses = {
  offer: OfferTemplate,
  event: EventTemplate,
  generic: GenericTemplate,
  membership: MembershipTemplate,
} as const;

export function toTemplateResponse(template: Template): TemplateResponse {
  const { id, accountId, type, title, issuerName, foregroundColor, backgroundColor, sharingProhibited } = template;
  return {
    id,
    accountId,
    type,
    title,
    issuerName,
    foregroundColor,
    backgroundColor,
    ...(template.labelColor !== null && { labelColor: template.labelColor }),
    ...imageUrls(template.images),
    sharingProhibited,
    // Omit `qr`, because the interface specification has no other format.
    ...(template.codeFormat !== 'qr' && { codeFormat: template.codeFormat }),
    locations: template.locations,
    fields: template.fields,
    backFields: template.backFields,
    ...(template.actions && { actions: template.actions }),
    ...variant(template),
    ...languages(template),
    archived: template.archivedAt !== null,
    createdAt: template.createdAt.toISOString(),
    updatedAt: template.updatedAt.toISOString(),
    // Each row was written from one variant, so it has that variant's properties.
  } as TemplateResponse;
}

function imageUrls(images: PreparedImages): Record<string, string> {
  const present = imagePurposes.flatMap((purpose) => (images[purpose] ? [[purpose, images[purpose].url]] : []));
  return Object.fromEntries(present) as Record<string, string>;
}

function variant({ startDate, startDay, endDate, doorsOpen, location, primaryLabel }: Template) {
  return {
    ...(startDate && { startDate: startDay ?? startDate.toISOString() }),
    ...(endDate && { endDate: endDate.toISOString() }),
    ...(doorsOpen && { doorsOpen: doorsOpen.toISOString() }),
    ...(location && { location }),
    ...(primaryLabel !== null && { primaryLabel }),
  };
}

function languages({ language, translations }: Template) {
  return {
    ...(language !== null && { language }),
    ...(Object.keys(translations ?? {}).length > 0 && { translations }),
  };
}

/**
 * Returns the entity tag of a template, which changes with every change. It includes the creation time, so that a
 * recreated template never matches an old tag.
 */
export function templateTag({ revision, createdAt }: Pick<Template, 'revision' | 'createdAt'>): string {
  return `"${revision}-${createdAt.getTime().toString(36)}${versionSuffix()}"`;
}
