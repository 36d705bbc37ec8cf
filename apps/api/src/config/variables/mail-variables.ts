import { emailForm } from '@passwright/core';
import { senderOf, smtpServer } from '@passwright/mailer';
import { z } from 'zod';
import { wholeNumber } from './variable-forms.js';

export const mailVariables = {
  SMTP_URL: {
    schema: z
      .string()
      .refine((text) => smtpServer(text) !== null, 'must be an smtp:// or smtps:// address')
      .optional(),
    about:
      'Mail server; with a password, TLS is required. Unset: mails become files in DATA_DIR/outbox. Or SMTP_URL_FILE.',
    example: 'smtp://user:password@mail.example.com:587',
  },
  MAIL_FROM: {
    schema: z
      .string()
      .refine((text) => senderOf(text) !== null, 'must be an address, or a name and an address in <>')
      .optional(),
    about: 'Sender of mails. Required with SMTP_URL.',
    example: 'Passwright <passes@example.com>',
  },
  MAILS_PER_DAY: {
    schema: wholeNumber(0, 10_000_000).default(1000),
    about:
      'Maximum number of mails with passes per day (UTC) by all accounts of one founder; 0 for no limit. Default: 1000.',
    example: '1000',
  },
  REMINDERS_PER_MINUTE: {
    schema: wholeNumber(1, 1_000_000).default(1000),
    about: 'Maximum number of reminders per minute, so that a backlog does not flood the mail server. Default: 1000.',
    example: '200',
  },
  OPERATOR_EMAIL: {
    schema: z.string().regex(emailForm, 'must be a single e-mail address').optional(),
    about: 'E-mail address that is notified before APPLE_CERTIFICATE expires. Default: none, a warning in the log.',
    example: 'operator@example.com',
  },
};
