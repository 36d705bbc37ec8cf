import type { Language } from '@passwright/wallet-renderers';
import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';

export const passMailStatuses = ['queued', 'sent', 'failed'] as const;

/** An e-mail that brings, or brought, a holder their pass. It goes with the pass. */
@Entity('pass_mail')
export class PassMailRow {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  /** Names the mail to mail programs too: sent twice, it is shown once. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  templateId!: string;

  @Column({ type: 'text' })
  passId!: string;

  @Column({ type: 'text' })
  recipient!: string;

  /** Where the holder's answer goes, until the mail is sent or given up. */
  @Column({ type: 'text', nullable: true })
  replyTo!: string | null;

  /** Of what the mail says itself. */
  @Column({ type: 'text' })
  lang!: Language;

  /** As it is sent. */
  @Column({ type: 'text' })
  subject!: string;

  /** The sender's own words, until the mail is sent or given up. */
  @Column({ type: 'text', nullable: true })
  message!: string | null;

  @Column({ type: 'text' })
  status!: (typeof passMailStatuses)[number];

  /** How often sending it was begun. */
  @Column({ type: 'integer', default: 0 })
  attempts!: number;

  /** Why it was not sent yet, or never will be, in words for the account. */
  @Column({ type: 'text', nullable: true })
  problem!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  sentAt!: Date | null;

  /** Recipient and subject, encrypted; null while they are in clear. Only between the database and `MailEncryptionService`. */
  @Column({ type: 'bytea', nullable: true })
  personal?: Buffer | null;

  /** Reply address and message, encrypted like `personal`. */
  @Column({ type: 'bytea', nullable: true })
  personalMessage?: Buffer | null;

  /** The salt that the key of the record is derived from; kept apart from `personal`. */
  @VirtualColumn({ type: 'bytea', query: (mail) => saltSql(mail) })
  salt?: Buffer | null;
}

/** The salt of a mail, as an expression. */
export const saltSql = (mail: string): string =>
  `SELECT salt FROM encryption_key WHERE account_id = ${mail}.account_id AND id = 'mail:' || ${mail}.id`;
