import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The number of mails that an account has requested on one day. */
@Entity('pass_mail_day', { synchronize: false })
export class PassMailDayRow {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  /** The last day with a request, in UTC. */
  @Column({ name: 'begins_at', type: 'timestamptz', precision: 3 })
  beginsAt!: Date;

  @Column({ type: 'integer' })
  mails!: number;
}

/**
 * A record that a mail was sent to a recipient, kept while it counts towards the limit. It outlives the mail, whose
 * pass may be deleted.
 */
@Entity('pass_mail_recipient', { synchronize: false })
export class PassMailRecipientRow {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  /** A keyed hash of the address, which reveals nothing without the key. */
  @PrimaryColumn({ name: 'recipient_hash', type: 'bytea' })
  recipientHash!: Buffer;

  @PrimaryColumn({ name: 'sent_at', type: 'timestamptz', precision: 3 })
  sentAt!: Date;

  @PrimaryColumn({ name: 'mail_id', type: 'text' })
  mailId!: string;
}
