import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A user's session in an account. It includes all refresh tokens that result from one login. */
@Entity('session', { synchronize: false })
export class Session {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  /** `ses_…` */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  uid!: string;

  /** SHA-256 of the secret in the current refresh token. */
  @Column({ name: 'token_hash', type: 'bytea' })
  tokenHash!: Buffer;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** When the session was last opened or refreshed. */
  @Column({ name: 'last_used_at', type: 'timestamptz', precision: 3 })
  lastUsedAt!: Date;

  /** The IP address from which the session was last opened or refreshed. */
  @Column({ type: 'text', nullable: true })
  ip!: string | null;

  @Column({ name: 'user_agent', type: 'text', nullable: true })
  userAgent!: string | null;
}
