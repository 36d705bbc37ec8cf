import { recordSaltSql } from '@passwright/accounts';
import type { Language } from '@passwright/wallet-renderers';
import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';

export const passMailStatuses = ['queued', 'sent', 'failed'] as const;

/** An e-mail that sends a pass to its holder. It is deleted with the pass. */
@Entity('pass_mail', { synchronize: false })
export class PassMailRow {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  /** The mail also contains this id, so that a mail program shows a repeated mail only once. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ name: 'template_id', type: 'text' })
  templateId!: string;

  @Column({ name: 'pass_id', type: 'text' })
  passId!: string;

  @Column({ type: 'text' })
  recipient!: string;

  /** The reply address for the holder. It is deleted once the mail was sent or has failed. */
  @Column({ name: 'reply_to', type: 'text', nullable: true })
  replyTo!: string | null;

  /** The language of the mail's fixed texts. */
  @Column({ type: 'text' })
  lang!: Language;

  @Column({ type: 'text' })
  subject!: string;

  /** The account's own message. It is deleted once the mail was sent or has failed. */
  @Column({ type: 'text', nullable: true })
  message!: string | null;

  @Column({ type: 'text' })
  status!: (typeof passMailStatuses)[number];

  /** The number of sending attempts. */
  @Column({ type: 'integer', default: 0 })
  attempts!: number;

  /** The reason why the mail was not sent yet or has failed, in words for the account. */
  @Column({ type: 'text', nullable: true })
  problem!: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'sent_at', type: 'timestamptz', precision: 3, nullable: true })
  sentAt!: Date | null;

  /**
   * The encrypted recipient and subject; null while they are unencrypted. Only `MailEncryptionService` uses this
   * column.
   */
  @Column({ type: 'bytea', nullable: true })
  personal?: Buffer | null;

  /** The reply address and message, encrypted like `personal`. */
  @Column({ name: 'personal_message', type: 'bytea', nullable: true })
  personalMessage?: Buffer | null;

  /** The salt from which the record's key is derived, stored apart from `personal`. */
  @VirtualColumn({ type: 'bytea', query: (mail) => saltSql(mail) })
  salt?: Buffer | null;
}

/** Returns the SQL expression for the salt of a mail. */
export const saltSql = (mail: string): string => recordSaltSql(`${mail}.account_id`, `'mail:' || ${mail}.id`);
