import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The number of mails that an account has requested on one day. */
@Entity('pass_mail_day', { synchronize: false })
export class PassMailDayRow {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  /** The day of the count, in UTC: the last day with a request. */
  @Column({ name: 'begins_at', type: 'timestamptz', precision: 3 })
  beginsAt!: Date;

  @Column({ type: 'integer' })
  mails!: number;
}

/**
 * A record that a mail was sent to a recipient. It exists as long as it counts towards the limit, even if the mail is
 * deleted with its pass.
 */
@Entity('pass_mail_recipient', { synchronize: false })
export class PassMailRecipientRow {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  /** A keyed hash of the e-mail address, which reveals nothing without the key. */
  @PrimaryColumn({ name: 'recipient_hash', type: 'bytea' })
  recipientHash!: Buffer;

  @PrimaryColumn({ name: 'sent_at', type: 'timestamptz', precision: 3 })
  sentAt!: Date;

  @PrimaryColumn({ name: 'mail_id', type: 'text' })
  mailId!: string;
}
