import type { Type } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import type { EventType } from './event-types.js';

/** The pass that an event is about. */
class PassEventSubject {
  @ApiProperty({ description: 'The id of the template of the pass.', example: 'summer-sale' })
  templateId!: string;

  @ApiProperty({ description: 'The id of the pass within its template.', example: 'ada' })
  passId!: string;
}

/** The state of a pass after an event. */
class PassEventData extends PassEventSubject {
  @ApiProperty({ description: 'True if the pass was voided or its template is archived.', example: true })
  voided!: boolean;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'When the pass was redeemed.' })
  redeemedAt?: string;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'The pass is not valid from this time on.' })
  expiry?: string;

  @ApiProperty({ type: String, format: 'date-time', description: 'The last change of the pass that a holder can see.' })
  updatedAt!: string;
}

class ChangedProperties {
  @ApiProperty({
    type: [String],
    maxItems: 20,
    description: 'The names of the properties that have changed; `messages` for a new message to the holders.',
    example: ['expiry'],
  })
  changed!: string[];
}

class PassChangedEventData extends IntersectionType(PassEventData, ChangedProperties) {}

class InstallationEventData extends PassEventSubject {
  @ApiProperty({ enum: ['walletA', 'walletB'], description: 'The wallet of the holder.', example: 'walletA' })
  wallet!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: 1000,
    description: 'How many devices (`walletA`) or saves (`walletB`) hold the pass now. 1000 means at least 1000.',
  })
  installations!: number;
}

/** The state of a template after an event. */
class TemplateEventData {
  @ApiProperty({ description: 'The id of the template.', example: 'summer-sale' })
  templateId!: string;

  @ApiProperty({ description: 'The template is archived, and all its passes are void.', example: false })
  archived!: boolean;

  @ApiProperty({ type: String, format: 'date-time', description: 'The last change of the template.' })
  updatedAt!: string;
}

class MemberEventSubject extends PassEventSubject {
  @ApiProperty({ type: 'integer', minimum: 1, description: 'The id of the member within the account.', example: 1 })
  memberId!: number;
}

/** The state of a member after an event. */
class MemberEventData extends MemberEventSubject {
  @ApiProperty({
    enum: ['pending', 'active', 'suspended', 'expired', 'cancelled'],
    description: 'The status of the membership.',
    example: 'active',
  })
  status!: string;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'The end of the membership.' })
  expiry?: string;
}

class MemberChangedEventData extends IntersectionType(MemberEventData, ChangedProperties) {}

/** The state of a message to holders after an event. */
class MessageEventData {
  @ApiProperty({ description: 'The id of the message.', example: 'msg_3kTq9ZbXcVn1MlPoIu7Yt2' })
  messageId!: string;

  @ApiProperty({ description: 'The id of the template of the passes.', example: 'summer-sale' })
  templateId!: string;

  @ApiPropertyOptional({ description: 'The id of the pass, for a message to one pass.', example: 'ada' })
  passId?: string;

  @ApiPropertyOptional({ description: 'The topic of the message.', example: 'concert-start' })
  topic?: string;

  @ApiProperty({
    enum: ['scheduled', 'sending', 'paused', 'sent', 'cancelled', 'superseded'],
    description: 'The status of the message.',
    example: 'sent',
  })
  status!: string;

  @ApiProperty({ type: String, format: 'date-time', description: 'When sending begins or began.' })
  sendAt!: string;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'The number of passes that have the message.' })
  sent!: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'The number of these passes in Apple Wallet.' })
  walletA!: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'The number of these passes in Google Wallet.' })
  walletB!: number;
}

/** The certificate that an expiry event is about. */
class CertificateEventData {
  @ApiProperty({ enum: ['walletA'], description: 'The wallet of the certificate.', example: 'walletA' })
  wallet!: string;

  @ApiProperty({ description: 'The SHA-256 fingerprint of the certificate.' })
  fingerprint!: string;

  @ApiProperty({ description: 'The pass type of the certificate.', example: 'pass.dev.passwright' })
  passTypeIdentifier!: string;

  @ApiProperty({ type: String, format: 'date-time', description: 'When the certificate expires.' })
  expiresAt!: string;
}

class TestEventData {
  @ApiProperty({ description: 'The id of the webhook that is tested.', example: 'wh_3kTq9ZbXcVn1MlPoIu7Yt2' })
  webhookId!: string;
}

/** The schemas of `data`, by event type. */
export const eventDataTypes: Readonly<Record<EventType, Type<unknown>>> = {
  'pass.created': PassEventData,
  'pass.changed': PassChangedEventData,
  'pass.voided': PassEventData,
  'pass.unvoided': PassEventData,
  'pass.redeemed': PassEventData,
  'pass.expired': PassEventData,
  'pass.deleted': PassEventSubject,
  'pass.installed': InstallationEventData,
  'pass.removed': InstallationEventData,
  'template.changed': TemplateEventData,
  'template.archived': TemplateEventData,
  'template.unarchived': TemplateEventData,
  'member.created': MemberEventData,
  'member.changed': MemberChangedEventData,
  'member.activated': MemberEventData,
  'member.suspended': MemberEventData,
  'member.expired': MemberEventData,
  'member.renewed': MemberEventData,
  'member.cancelled': MemberEventData,
  'member.deleted': MemberEventSubject,
  'message.created': MessageEventData,
  'message.started': MessageEventData,
  'message.sent': MessageEventData,
  'message.paused': MessageEventData,
  'message.resumed': MessageEventData,
  'message.cancelled': MessageEventData,
  'message.superseded': MessageEventData,
  'certificate.expiring': CertificateEventData,
  'certificate.expired': CertificateEventData,
  'webhook.test': TestEventData,
};
