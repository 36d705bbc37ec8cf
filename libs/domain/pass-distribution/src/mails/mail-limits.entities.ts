import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The number of mails that an account has requested on one day. */
@Entity('pass_mail_day')
export class PassMailDayRow {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  /** The last day with a request, in UTC. */
  @Column({ type: 'timestamptz', precision: 3 })
  beginsAt!: Date;

  @Column({ type: 'integer' })
  mails!: number;
}

/**
 * A record that a mail was sent to a recipient, kept while it counts towards the limit. It outlives the mail, whose
 * pass may be deleted.
 */
@Entity('pass_mail_recipient')
export class PassMailRecipientRow {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  /** A keyed hash of the address, which reveals nothing without the key. */
  @PrimaryColumn({ type: 'bytea' })
  recipientHash!: Buffer;

  @PrimaryColumn({ type: 'timestamptz', precision: 3 })
  sentAt!: Date;

  @PrimaryColumn({ type: 'text' })
  mailId!: string;
}
