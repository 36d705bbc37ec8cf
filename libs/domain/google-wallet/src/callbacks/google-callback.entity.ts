import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A callback that was already counted, so that a repetition is not counted again. */
@Entity('google_callback', { synchronize: false })
export class GoogleCallbackRow {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  /** SHA-256 of the callback's nonce. */
  @PrimaryColumn({ name: 'nonce_hash', type: 'bytea' })
  nonceHash!: Buffer;

  /** After this time the callback is rejected because of its age. */
  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;
}
