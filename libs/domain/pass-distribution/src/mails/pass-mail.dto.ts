import { ApiProperty } from '@nestjs/swagger';
import { emailForm, OneOf, Text } from '@passwright/core';
import { type Language, webLanguages } from '@passwright/wallet-renderers';
import { type PassMailRow, passMailStatuses } from './pass-mail.entity.js';

export class SendPassRequest {
  @Text({
    description: 'The recipient: a single address.',
    example: 'ada@example.com',
    max: 254,
    pattern: emailForm,
    patternHint: 'a single e-mail address, such as ada@example.com',
  })
  to!: string;

  @Text({
    description: 'The address for the holder’s replies: a single address. Default: the sender of all mails.',
    example: 'box-office@example.com',
    max: 254,
    pattern: emailForm,
    patternHint: 'a single e-mail address, such as box-office@example.com',
    optional: true,
  })
  replyTo?: string | null;

  @Text({
    description: 'The subject on one line. Default: the issuer and the title.',
    example: 'Your seat for Saturday',
    max: 150,
    pattern: /\S/,
    patternHint: 'more than white space',
    optional: true,
  })
  subject?: string | null;

  @Text({
    description: 'Your own message to the holder, shown as plain text with its line breaks.',
    example: 'Dear Ada,\nwe look forward to seeing you.',
    max: 1000,
    multiline: true,
    pattern: /\S/,
    patternHint: 'more than white space',
    optional: true,
  })
  message?: string | null;

  @OneOf({
    description:
      'The language of the mail and of the pass’s texts. Default: the language of the holder, or else of the ' +
      'template, or else of the installation.',
    values: webLanguages,
    example: 'en',
    optional: true,
  })
  lang?: Language | null;
}

export class PassMailResponse {
  @ApiProperty({ example: '3kTq9ZbXcVn1MlPoIu7Yt2' })
  id!: string;

  @ApiProperty({ example: 'ada@example.com' })
  to!: string;

  @ApiProperty({ example: 'Your pass from Harbour Hall: Autumn concert' })
  subject!: string;

  @ApiProperty({
    enum: passMailStatuses,
    description:
      '`queued`: the service tries to send the mail for about 16 hours. `sent`: the mail server has accepted ' +
      'it. `failed`: there are no more attempts, see `problem`.',
  })
  status!: (typeof passMailStatuses)[number];

  @ApiProperty({ type: 'integer', minimum: 0, description: 'The number of sending attempts.', example: 1 })
  attempts!: number;

  @ApiProperty({ type: String, nullable: true, description: 'Why the mail was not sent yet or has failed.' })
  problem!: string | null;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ type: String, nullable: true, format: 'date-time', description: 'When the mail server accepted it.' })
  sentAt!: string | null;
}

export function toPassMailResponse(mail: PassMailRow): PassMailResponse {
  const { id, recipient, subject, status, attempts, problem, createdAt, sentAt } = mail;
  return {
    id,
    to: recipient,
    subject,
    status,
    attempts,
    problem,
    createdAt: createdAt.toISOString(),
    sentAt: sentAt?.toISOString() ?? null,
  };
}
