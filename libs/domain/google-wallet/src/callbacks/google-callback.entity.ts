import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A callback that was already counted. Its row prevents that a repeated delivery counts again. */
@Entity('google_callback', { synchronize: false })
export class GoogleCallbackRow {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  /** SHA-256 of the callback's nonce. */
  @PrimaryColumn({ name: 'nonce_hash', type: 'bytea' })
  nonceHash!: Buffer;

  /** The service rejects the callback as too old after this time. */
  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;
}
