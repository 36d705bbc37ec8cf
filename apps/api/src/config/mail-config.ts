import { join } from 'node:path';
import type { MailerOptions } from '@passwright/mailer';
import { variables, type Values } from './variables/variables.js';

/** Selects the mail server, or the folder `outbox` in `DATA_DIR` when none is set. */
export function mailerOptions({ MAIL_FROM, SMTP_URL, NODE_ENV }: Values, dataDir: string): MailerOptions {
  return {
    from: MAIL_FROM ?? 'Passwright <passwright@localhost.invalid>',
    transport: SMTP_URL
      ? { kind: 'smtp', url: SMTP_URL }
      : { kind: 'outbox', dir: join(dataDir, 'outbox'), tells: NODE_ENV !== 'production' },
  };
}

export function missingForMail({ SMTP_URL, MAIL_FROM }: Readonly<Record<string, string | undefined>>): string[] {
  return SMTP_URL && !MAIL_FROM ? [`MAIL_FROM is missing; for example MAIL_FROM=${variables.MAIL_FROM.example}`] : [];
}
