import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A record that a person was notified, so that they do not get the notice again. */
@Entity('notice', { synchronize: false })
export class ExpiryNotice {
  /** The account; empty for the operator. */
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  /** The key of the notice: `apple-certificate:<fingerprint>:<days before its expiry, or expired>`. */
  @PrimaryColumn({ type: 'text' })
  key!: string;

  @Column({ name: 'sent_at', type: 'timestamptz', precision: 3 })
  sentAt!: Date;
}
