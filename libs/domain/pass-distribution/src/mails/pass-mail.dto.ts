import { ApiProperty } from '@nestjs/swagger';
import { emailForm, OneOf, Text } from '@passwright/core';
import { type Language, webLanguages } from '@passwright/wallet-renderers';
import { type PassMailRow, passMailStatuses } from './pass-mail.entity.js';

export class SendPassRequest {
  @Text({
    description: 'Who gets it: one address and nothing else.',
    example: 'ada@example.com',
    max: 254,
    pattern: emailForm,
    patternHint: 'a single e-mail address, such as ada@example.com',
  })
  to!: string;

  @Text({
    description: 'Who gets what the holder answers: one address; without one, the sender of all mails.',
    example: 'box-office@example.com',
    max: 254,
    pattern: emailForm,
    patternHint: 'a single e-mail address, such as box-office@example.com',
    optional: true,
  })
  replyTo?: string | null;

  @Text({
    description: 'One line; without one, the subject names the issuer and the title.',
    example: 'Your seat for Saturday',
    max: 150,
    pattern: /\S/,
    patternHint: 'more than white space',
    optional: true,
  })
  subject?: string | null;

  @Text({
    description: 'Your own words to the holder, shown as plain text with their line breaks.',
    example: 'Dear Ada,\nwe look forward to seeing you.',
    max: 1000,
    multiline: true,
    pattern: /\S/,
    patternHint: 'more than white space',
    optional: true,
  })
  message?: string | null;

  @OneOf({
    description: "The language of what the mail says itself; without one, that of the installation's passes.",
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
      '`queued`: it is on its way; when the mail server does not take it, it is tried again for about 16 hours, see ' +
      '`problem`. `sent`: the mail server has taken it. `failed`: it is not tried any more, see `problem`.',
  })
  status!: (typeof passMailStatuses)[number];

  @ApiProperty({ description: 'How often sending it was begun.', example: 1 })
  attempts!: number;

  @ApiProperty({ type: String, nullable: true, description: 'Why it was not sent yet, or never will be.' })
  problem!: string | null;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ type: String, nullable: true, format: 'date-time', description: 'When the mail server took it.' })
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
