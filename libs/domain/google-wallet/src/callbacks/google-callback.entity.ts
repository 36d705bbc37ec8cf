import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A callback that was already counted. It is stored so that a repeated delivery is not counted again. */
@Entity('google_callback', { synchronize: false })
export class GoogleCallbackRow {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  /** SHA-256 of the callback's nonce. */
  @PrimaryColumn({ name: 'nonce_hash', type: 'bytea' })
  nonceHash!: Buffer;

  /** After this time, the service rejects the callback as too old. */
  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;
}
