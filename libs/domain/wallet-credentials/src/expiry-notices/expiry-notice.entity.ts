import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A record that a person was notified, which prevents a second notice. */
@Entity('notice', { synchronize: false })
export class ExpiryNotice {
  /** Empty for the operator. */
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  /** The subject: `apple-certificate:<fingerprint>:<days before its expiry, or expired>`. */
  @PrimaryColumn({ type: 'text' })
  key!: string;

  @Column({ name: 'sent_at', type: 'timestamptz', precision: 3 })
  sentAt!: Date;
}
