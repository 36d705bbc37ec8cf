import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How many mails an account has asked for on one day. */
@Entity('pass_mail_day')
export class PassMailDayRow {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  /** The last day with any, in UTC. */
  @Column({ type: 'timestamptz', precision: 3 })
  beginsAt!: Date;

  @Column({ type: 'integer' })
  mails!: number;
}

/** That a mail went to somebody, for as long as it counts; it outlives the mail, whose pass may be deleted. */
@Entity('pass_mail_recipient')
export class PassMailRecipientRow {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  /** Of the address, with a key: tells nobody who has not the key to whom. */
  @PrimaryColumn({ type: 'bytea' })
  recipientHash!: Buffer;

  @PrimaryColumn({ type: 'timestamptz', precision: 3 })
  sentAt!: Date;

  @PrimaryColumn({ type: 'text' })
  mailId!: string;
}
