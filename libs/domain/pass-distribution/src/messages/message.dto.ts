import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OneOf, PageQuery, Text } from '@passwright/core';
import type { MessageTranslations, PassState } from '@passwright/wallet-renderers';
import type { MessageRecipientRow, ReceivedMessage } from './message-recipient.entity.js';
import {
  type GoogleOutcome,
  googleOutcomes,
  heldIn,
  type MessageRow,
  messageStatuses,
  type SkipReason,
} from './message.entity.js';
import { maxWantedFields, passStates, WantedFieldDto } from './message-request.dto.js';

const texts = { type: 'object', additionalProperties: { type: 'string' } } as const;
const translationsDoc = {
  type: 'object',
  additionalProperties: texts,
  description: 'The `title` and the `text` in other languages; absent without translations.',
  example: { de: { title: 'Neuer Eingang', text: 'Ihr Konzert beginnt an Eingang C.' } },
} as const;

/** Query of the list of messages. */
export class MessagesQuery extends PageQuery {
  @Text({ description: 'Only messages to passes of this template.', max: 64, optional: true })
  templateId?: string;

  @OneOf({ description: 'Only messages in this status.', values: messageStatuses, optional: true })
  status?: (typeof messageStatuses)[number];
}

const outcomeDescription =
  'The result at Google Wallet. `waiting`: not sent yet, for example in quiet hours. `notified`: it is on the ' +
  'pass, and the phone announces it. `daily_limit`: it is on the pass only, because Google allows three ' +
  'notifications in 24 hours. `rejected`: Google rejects it. `expired`: Google did not confirm it in 30 days. ' +
  '`superseded`: a later message with the same topic replaced it. `not_at_google`: the pass is not at Google, ' +
  'or belongs to a former issuer. `queue_full`: the pass already has 50 messages or 100 kB of messages.';

/** One reason why passes do not get a message, and the number of these passes. */
export class SkippedPasses {
  @ApiProperty({
    enum: [...passStates, 'filter', 'wallet', 'superseded'],
    description:
      'Why these passes were skipped: their state, `filter` (fields or expiry do not match), `wallet` (they ' +
      'are in other wallets) or `superseded` (they have a later message with the same topic).',
  })
  reason!: SkipReason;

  @ApiProperty({ type: 'integer', minimum: 0, example: 12 })
  passes!: number;
}

/** One outcome of a message at Google Wallet, and the number of passes with this outcome. */
export class PassesByOutcome {
  @ApiProperty({ enum: googleOutcomes, enumName: 'WalletBOutcome', description: outcomeDescription })
  outcome!: GoogleOutcome;

  @ApiProperty({ type: 'integer', minimum: 0, example: 1650 })
  passes!: number;
}

function PassCount(description: string, example: number): PropertyDecorator {
  return ApiProperty({ type: 'integer', minimum: 0, description, example });
}

/** Counts of the passes that get a message, and of the passes that do not. */
export class MessageProgress {
  @PassCount('The passes of the template that were examined.', 5012)
  passes!: number;

  @PassCount('The passes that get the message, each at most once.', 5000)
  sent!: number;

  @PassCount('The passes in Apple Wallet that get the message.', 3100)
  walletA!: number;

  @PassCount('The passes in Google Wallet that get the message.', 1700)
  walletB!: number;

  @PassCount('The passes in no wallet that get the message: only their web page shows it.', 220)
  none!: number;

  @ApiProperty({
    type: () => PassesByOutcome,
    isArray: true,
    description: 'The passes with an opened Google link that get the message, counted by result.',
  })
  walletBOutcomes!: PassesByOutcome[];

  @ApiProperty({
    type: () => SkippedPasses,
    isArray: true,
    description: 'The skipped passes, counted by reason.',
  })
  skipped!: SkippedPasses[];
}

/** The passes that a message would reach. */
export class MessageForecast extends MessageProgress {
  @ApiProperty({ format: 'date-time', description: 'When sending would begin.' })
  sendAt!: string;
}

/** The filter of a message. */
export class MessageFilterResponse {
  @ApiProperty({ enum: passStates, isArray: true, maxItems: passStates.length })
  states!: readonly PassState[];

  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  expiresFrom!: string | null;

  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  expiresBefore!: string | null;

  @ApiProperty({ type: () => WantedFieldDto, isArray: true, maxItems: maxWantedFields })
  fields!: readonly WantedFieldDto[];

  @ApiProperty({ enum: heldIn, isArray: true, maxItems: heldIn.length, nullable: true })
  wallets!: MessageRow['filter']['wallets'];
}

/** A message to the holders of one or many passes. */
export class MessageResponse {
  @ApiProperty({ example: 'msg_3kTq9ZbXcVn1MlPoIu7Yt2' })
  id!: string;

  @ApiProperty({ example: 'autumn-concert' })
  templateId!: string;

  @ApiProperty({ type: String, nullable: true, description: 'Null for a message to many passes.', example: null })
  passId!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'Gate change' })
  title!: string | null;

  @ApiProperty({ example: 'Your concert begins at gate C.' })
  text!: string;

  @ApiPropertyOptional(translationsDoc)
  translations?: MessageTranslations;

  @ApiProperty({ type: String, nullable: true, example: 'gate' })
  topic!: string | null;

  @ApiProperty({ type: () => MessageFilterResponse, description: 'The filter, including defaults.' })
  filter!: MessageFilterResponse;

  @ApiProperty({ example: false })
  urgent!: boolean;

  @ApiProperty({
    enum: messageStatuses,
    description:
      '`scheduled`: it was not sent to any pass yet. `superseded`: a later message with the same topic replaced it ' +
      'before it was sent. `sent`: every pass has it or is counted in `progress.skipped`.',
  })
  status!: (typeof messageStatuses)[number];

  @ApiProperty({
    format: 'date-time',
    description: 'When sending begins. A message that is due in quiet hours begins when they end.',
  })
  sendAt!: string;

  @ApiProperty({ type: () => MessageProgress })
  progress!: MessageProgress;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  startedAt!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    format: 'date-time',
    description: 'When the message was sent, cancelled or superseded.',
  })
  finishedAt!: string | null;
}

/** A pass that got the message. */
export class MessageRecipient {
  @ApiProperty({ example: 'ada' })
  passId!: string;

  @ApiProperty({ description: 'True if the pass was in Apple Wallet at the time of sending.' })
  walletA!: boolean;

  @ApiProperty({ description: 'True if the pass was in Google Wallet at the time of sending.' })
  walletB!: boolean;

  @ApiProperty({
    enum: googleOutcomes,
    enumName: 'WalletBOutcome',
    type: String,
    nullable: true,
    description: `${outcomeDescription} Null: its Google link was not opened.`,
  })
  walletBOutcome!: GoogleOutcome | null;

  @ApiProperty({ format: 'date-time' })
  sentAt!: string;
}

export function toMessageRecipient(recipient: MessageRecipientRow): MessageRecipient {
  const { passId, isInApple, isInGoogle, googleOutcome, sentAt } = recipient;
  return {
    passId,
    walletA: isInApple,
    walletB: isInGoogle,
    walletBOutcome: googleOutcome,
    sentAt: sentAt.toISOString(),
  };
}

/** A message that a pass got. */
export class PassMessageResponse {
  @ApiProperty({ example: 'msg_3kTq9ZbXcVn1MlPoIu7Yt2' })
  id!: string;

  @ApiProperty({ type: String, nullable: true, example: 'Gate change' })
  title!: string | null;

  @ApiProperty({ example: 'Your concert begins at gate C.' })
  text!: string;

  @ApiPropertyOptional(translationsDoc)
  translations?: MessageTranslations;

  @ApiProperty({ type: String, nullable: true, example: 'gate' })
  topic!: string | null;

  @ApiProperty({ format: 'date-time' })
  sentAt!: string;
}

export function toPassMessageResponse(message: ReceivedMessage): PassMessageResponse {
  const { id, title, text, translations, topic, sentAt } = message;
  return { id, title, text, ...(translations && { translations }), topic, sentAt: sentAt.toISOString() };
}

export function toMessageResponse(message: MessageRow): MessageResponse {
  const { id, templateId, passId, title, text, translations, topic, filter, urgent, status } = message;
  return {
    id,
    templateId,
    passId,
    title,
    text,
    ...(translations && { translations }),
    topic,
    filter,
    urgent,
    status,
    sendAt: message.sendAt.toISOString(),
    progress: toMessageProgress(message),
    createdAt: message.createdAt.toISOString(),
    startedAt: message.startedAt?.toISOString() ?? null,
    finishedAt: message.finishedAt?.toISOString() ?? null,
  };
}

/** The columns of a message row that count passes. */
export type MessageCounts = Pick<
  MessageRow,
  'passes' | 'sent' | 'inApple' | 'inGoogle' | 'neither' | 'skipped' | 'googleOutcomes'
>;

export function toMessageProgress({
  passes,
  sent,
  inApple,
  inGoogle,
  neither,
  skipped,
  googleOutcomes: outcomes,
}: MessageCounts): MessageProgress {
  const reasons = (Object.entries(skipped) as [SkipReason, number][]).sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    passes,
    sent,
    walletA: inApple,
    walletB: inGoogle,
    none: neither,
    walletBOutcomes: googleOutcomes.flatMap((outcome) => {
      const count = outcomes[outcome] ?? 0;
      return count > 0 ? [{ outcome, passes: count }] : [];
    }),
    skipped: reasons.map(([reason, count]) => ({ reason, passes: count })),
  };
}
